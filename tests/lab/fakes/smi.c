// A fake nvidia-smi. Failures go to stdout, with the exit status and the texts of the real program
// (measured with driver 550, or quoted in public tickets). It reads the scenario itself.
#define SC_PREFIX "nvidia-smi"
#define SC_PROGRAM
#include "scenario.h"

enum { NOT_SUPPORTED = 3 };

static const char *reason(int code) {  // of nvmlErrorString, the ones seen here
    switch (code) {
    case 4: return "Insufficient Permissions";
    case 6: return "Not Found";
    case 8: return "Insufficient External Power";
    case 11: return "Interrupt Request Issue";
    case 13: return "Function Not Found";
    case 14: return "Corrupted infoROM";
    case 15: return "GPU is lost";
    case 16: return "GPU requires reset";
    case 17: return "GPU access blocked by the operating system";
    case 18: return "Driver/library version mismatch";
    case 28: return "No supported GPUs were found";
    default: return "Unknown Error";
    }
}

static int status(int code) { return code == 999 ? 255 : code; }

static const char *library(void) {
    const char *version = sc_text(&sc_machine, "library_version");
    return version ? version : sc_text(&sc_machine, "driver_version");
}

static int short_length(const char *version) {  // 570.124.06 is 570.124 in the mismatch message
    const char *dot = strchr(version, '.');
    return dot && strchr(dot + 1, '.') ? (int)(strchr(dot + 1, '.') - version) : (int)strlen(version);
}

static int start_failed(int code) {
    if (code == 9)
        printf("NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. "
               "Make sure that the latest NVIDIA driver is installed and running.\n\n");
    else if (code == 12)
        printf("NVIDIA-SMI couldn't find libnvidia-ml.so library in your system. Please make sure that the "
               "NVIDIA Display Driver is properly installed and present in your system.\n"
               "Please also try adding directory that contains libnvidia-ml.so to your system PATH.\n");
    else {
        printf("Failed to initialize NVML: %s\n", reason(code));
        if (code == 18) printf("NVML library version: %.*s\n", short_length(library()), library());
    }
    return status(code);
}

static void full_pci(const sc_section *g, int digits, char *out) {
    unsigned id[4];
    sscanf(sc_text(g, "pci"), "%x:%x:%x.%x", &id[0], &id[1], &id[2], &id[3]);
    sprintf(out, "%0*X:%02X:%02X.%X", digits, id[0], id[1], id[2], id[3]);
}

// Every listing needs the handles of all GPUs first; the first that fails ends the program.
static int no_handle(void) {
    for (int i = 0; i < sc_gpus; i++) {
        int code = sc_fault(sc_gpu[i], "nvml_error", "nvmlDeviceGetHandleByIndex_v2");
        char pci[32];
        if (!code) continue;
        full_pci(sc_gpu[i], 4, pci);
        // "GPU 0000:..." was seen with 520, "GPU0000:..." with 535 and 550, "GPU0: 0000:..." with 570.
        int major = atoi(library());
        printf("Unable to determine the device handle for GPU");
        if (major >= 560) printf("%d: ", i);
        else if (major < 530) putchar(' ');
        printf("%s: %s%s\n", pci, reason(code), code == 15 ? ".  Reboot the system to recover this GPU" : "");
        return status(code);
    }
    return 0;
}

// ---- --query-gpu

typedef struct {
    const char *name, *call, *key, *unit, *format;
} field;

static const field fields[] = {
    {"index", NULL, NULL, NULL, NULL}, {"count", NULL, NULL, NULL, NULL},
    {"driver_version", NULL, NULL, NULL, NULL},
    {"name", "nvmlDeviceGetName", "name", NULL, "%s"}, {"gpu_name", "nvmlDeviceGetName", "name", NULL, "%s"},
    {"uuid", "nvmlDeviceGetUUID", "uuid", NULL, "%s"}, {"gpu_uuid", "nvmlDeviceGetUUID", "uuid", NULL, "%s"},
    {"serial", "nvmlDeviceGetSerial", "serial", NULL, "%s"},
    {"vbios_version", "nvmlDeviceGetVbiosVersion", "vbios", NULL, "%s"},
    {"pci.bus_id", "nvmlDeviceGetPciInfo_v3", "pci", NULL, NULL},
    {"gpu_bus_id", "nvmlDeviceGetPciInfo_v3", "pci", NULL, NULL},
    {"compute_cap", "nvmlDeviceGetCudaComputeCapability", "cc", NULL, "%s"},
    {"memory.total", "nvmlDeviceGetMemoryInfo_v2", "memory_total", "MiB", "%.0f"},
    {"memory.used", "nvmlDeviceGetMemoryInfo_v2", "memory_used", "MiB", "%.0f"},
    {"memory.reserved", "nvmlDeviceGetMemoryInfo_v2", "memory_reserved", "MiB", "%.0f"},
    {"memory.free", "nvmlDeviceGetMemoryInfo_v2", NULL, "MiB", NULL},
    {"compute_mode", "nvmlDeviceGetComputeMode", "compute_mode", NULL, "Default|Exclusive_Thread|Prohibited|Exclusive_Process"},
    {"mig.mode.current", "nvmlDeviceGetMigMode", "mig", NULL, "Disabled|Enabled"},
    {"mig.mode.pending", "nvmlDeviceGetMigMode", "mig_pending", NULL, "Disabled|Enabled"},
    {"ecc.mode.current", "nvmlDeviceGetEccMode", "ecc", NULL, "Disabled|Enabled"},
    {"persistence_mode", "nvmlDeviceGetPersistenceMode", "persistence", NULL, "Disabled|Enabled"},
    {"display_active", "nvmlDeviceGetDisplayActive", "display_active", NULL, "Disabled|Enabled"},
    {"driver_model.current", "nvmlDeviceGetDriverModel", "driver_model", NULL, "WDDM|TCC|MCDM"},
    {"temperature.gpu", "nvmlDeviceGetTemperature", "temperature", NULL, "%.0f"},
    {"fan.speed", "nvmlDeviceGetFanSpeed", "fan", "%", "%.0f"},
    {"power.draw", "nvmlDeviceGetPowerUsage", "power_usage", "W", "%.2f"},
    {"power.limit", "nvmlDeviceGetPowerManagementLimit", "power_limit", "W", "%.2f"},
    {"power.default_limit", "nvmlDeviceGetPowerManagementDefaultLimit", "power_default", "W", "%.2f"},
    {"clocks.sm", "nvmlDeviceGetClockInfo", "clock_sm", "MHz", "%.0f"},
    {"clocks.max.sm", "nvmlDeviceGetMaxClockInfo", "clock_sm_max", "MHz", "%.0f"},
    {"clocks_throttle_reasons.active", "nvmlDeviceGetCurrentClocksThrottleReasons", "clock_reasons", NULL, "0x"},
    {"clocks_event_reasons.active", "nvmlDeviceGetCurrentClocksEventReasons", "clock_reasons", NULL, "0x"},
    {"pcie.link.gen.current", "nvmlDeviceGetCurrPcieLinkGeneration", "pcie_gen", NULL, "%.0f"},
    {"pcie.link.gen.max", "nvmlDeviceGetMaxPcieLinkGeneration", "pcie_gen_max", NULL, "%.0f"},
    {"pcie.link.width.current", "nvmlDeviceGetCurrPcieLinkWidth", "pcie_width", NULL, "%.0f"},
    {"pcie.link.width.max", "nvmlDeviceGetMaxPcieLinkWidth", "pcie_width_max", NULL, "%.0f"},
    {"pstate", "nvmlDeviceGetPerformanceState", "pstate", NULL, "P%.0f"},
    {"utilization.gpu", "nvmlDeviceGetUtilizationRates", "utilization_gpu", "%", "%.0f"},
    {"ecc.errors.corrected.volatile.total", "nvmlDeviceGetTotalEccErrors", "ecc_corrected_volatile", NULL, "%.0f"},
    {"ecc.errors.uncorrected.volatile.total", "nvmlDeviceGetTotalEccErrors", "ecc_uncorrected_volatile", NULL, "%.0f"},
    {"ecc.errors.corrected.aggregate.total", "nvmlDeviceGetTotalEccErrors", "ecc_corrected_aggregate", NULL, "%.0f"},
    {"ecc.errors.uncorrected.aggregate.total", "nvmlDeviceGetTotalEccErrors", "ecc_uncorrected_aggregate", NULL, "%.0f"},
    {0}};

static const field *find_field(const char *name) {
    const field *f = fields;
    while (f->name && strcmp(f->name, name)) f++;
    return f->name ? f : NULL;
}

// One cell. A card without the reading has "[N/A]"; a failing one names its failure, and the
// program still exits 0.
static void cell(const field *f, int i, bool units, char *out, size_t size) {
    const sc_section *g = sc_gpu[i];
    int code = f->call ? sc_fault(g, "nvml_error", f->call) : 0;
    double v = 0;
    const char *key = f->key;
    if (key && !strcmp(key, "mig_pending") && !sc_text(g, key)) key = "mig";
    if (code == NOT_SUPPORTED) snprintf(out, size, "[N/A]");
    else if (code) snprintf(out, size, "[%s]", reason(code));
    else if (!strcmp(f->name, "index")) snprintf(out, size, "%d", i);
    else if (!strcmp(f->name, "count")) snprintf(out, size, "%d", sc_gpus);
    else if (!strcmp(f->name, "driver_version")) snprintf(out, size, "%s", sc_text(&sc_machine, "driver_version"));
    else if (!strcmp(f->name, "memory.free"))
        snprintf(out, size, "%.0f%s", sc_or(g, "memory_total", 0) - sc_or(g, "memory_used", 0) - sc_or(g, "memory_reserved", 0), units ? " MiB" : "");
    else if (!strcmp(key, "pci")) full_pci(g, 8, out);
    else if (!strcmp(key, "compute_mode") || !strcmp(key, "memory_used") || sc_num(g, key, &v)) {
        v = sc_or(g, key, 0);
        if (!strcmp(f->format, "0x")) snprintf(out, size, "0x%016llX", (unsigned long long)v);
        else if (!strcmp(f->format, "%s")) snprintf(out, size, "%s", sc_text(g, key));
        else if (strchr(f->format, '|')) {
            const char *word = f->format;
            for (int skip = (int)v; skip > 0; skip--) word = strchr(word, '|') + 1;
            snprintf(out, size, "%.*s", (int)strcspn(word, "|"), word);
        } else {
            int n = snprintf(out, size, f->format, v);
            if (units && f->unit) snprintf(out + n, size - n, " %s", f->unit);
        }
    } else snprintf(out, size, "[N/A]");
}

static int query(const char *names, const char *format) {
    char name[96], text[160];
    bool units = !sc_listed(format, "nounits");
    if (!sc_listed(format, "csv")) {
        printf("Format modifier --format=csv is mandatory.\n");
        return 2;
    }
    for (int i = 0; sc_item(names, i, name, sizeof name); i++)
        if (!find_field(name)) {
            printf("Field \"%s\" is not a valid field to query.\n\n", name);
            return 2;
        }
    if (!sc_listed(format, "noheader")) {
        for (int i = 0; sc_item(names, i, name, sizeof name); i++) {
            const field *f = find_field(name);
            printf("%s%s", i ? ", " : "", name);
            if (units && f->unit) printf(" [%s]", f->unit);
        }
        putchar('\n');
    }
    for (int g = 0; g < sc_gpus; g++) {
        for (int i = 0; sc_item(names, i, name, sizeof name); i++) {
            cell(find_field(name), g, units, text, sizeof text);
            printf("%s%s", i ? ", " : "", text);
        }
        putchar('\n');
    }
    return 0;
}

// ---- the other listings

static void show(const char *name, int i, char *out) {  // a cell of the table: no brackets
    char text[160];
    cell(find_field(name), i, false, text, sizeof text);
    bool failed = *text == '[' && strcmp(text, "[N/A]");
    strcpy(out, failed ? "ERR!" : *text == '[' ? "N/A" : text);
}

static void list(void) {
    for (int i = 0; i < sc_gpus; i++) {
        printf("GPU %d: %s (UUID: %s)\n", i, sc_text(sc_gpu[i], "name"), sc_text(sc_gpu[i], "uuid"));
        for (int m = 0, n = 0; m < sc_migs; m++)
            if (sc_mig[m].gpu == sc_gpu[i])
                printf("  MIG %-11s Device %2d: (UUID: %s)\n", sc_mig[m].profile, n++, sc_mig[m].uuid);
    }
}

static void cuda_version(char *out) {
    double v;
    if (sc_num(&sc_machine, "cuda_version", &v)) sprintf(out, "%d.%d", (int)v / 1000, (int)v % 1000 / 10);
    else strcpy(out, "N/A");
}

static void details(void) {
    char cuda[16], text[160];
    static const char *rows[][2] = {
        {"Product Name", "name"}, {"MIG Mode : Current", "mig.mode.current"}, {"GPU UUID", "uuid"},
        {"Compute Mode", "compute_mode"}, {"Performance State", "pstate"}, {"GPU Current Temp", "temperature.gpu"},
        {"Clocks Event Reasons", "clocks_event_reasons.active"}, {"FB Memory Total (MiB)", "memory.total"}};
    cuda_version(cuda);
    printf("\n==============NVSMI LOG==============\n\n");
    printf("%-42s: %s\n%-42s: %s\n\n%-42s: %d\n", "Driver Version", sc_text(&sc_machine, "driver_version"),
           "CUDA Version", cuda, "Attached GPUs", sc_gpus);
    for (int i = 0; i < sc_gpus; i++) {
        full_pci(sc_gpu[i], 8, text);
        printf("GPU %s\n", text);
        for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
            show(rows[r][1], i, text);
            printf("    %-38s: %s\n", rows[r][0], text);
        }
        double state;
        static const char *states[] = {"N/A", "Not Started", "In Progress", "Completed"};
        if (sc_num(sc_gpu[i], "fabric_state", &state))
            printf("    Fabric\n        %-34s: %s\n", "State", states[(int)state]);
        putchar('\n');
    }
}

static void table(void) {
    char cuda[16], cells[12][160], pci[32], item[192], text[96];
    const char *kernel = sc_text(&sc_machine, "driver_version");
    const char *line = "+-----------------------------------------+----------------------+----------------------+";
    cuda_version(cuda);
    printf("Thu Jan  1 00:00:00 2026       \n");
    printf("+---------------------------------------------------------------------------------------+\n");
    if (atoi(library()) >= 610) {  // the header that speaks of "KMD" and "UMD"
        printf("| NVIDIA-SMI %-22s KMD Version: %-14s CUDA UMD Version: %-8s |\n", library(), kernel, cuda);
    } else
        printf("| NVIDIA-SMI %-22s Driver Version: %-12s CUDA Version: %-8s |\n", library(), kernel, cuda);
    printf("|-----------------------------------------+----------------------+----------------------+\n");
    printf("| GPU  Name                 Persistence-M | Bus-Id        Disp.A | Volatile Uncorr. ECC |\n");
    printf("| Fan  Temp   Perf          Pwr:Usage/Cap |         Memory-Usage | GPU-Util  Compute M. |\n");
    printf("|                                         |                      |               MIG M. |\n");
    printf("|=========================================+======================+======================|\n");
    for (int i = 0; i < sc_gpus; i++) {
        static const char *shown[] = {"name", "fan.speed", "temperature.gpu", "pstate", "power.draw", "power.limit", "memory.used",
                                      "memory.total", "utilization.gpu", "compute_mode", "mig.mode.current",
                                      "ecc.errors.uncorrected.volatile.total"};
        for (int c = 0; c < 12; c++) show(shown[c], i, cells[c]);
        full_pci(sc_gpu[i], 8, pci);
        if (sc_or(sc_gpu[i], "compute_mode", 0) == 3) strcpy(cells[9], "E. Process");
        printf("| %3d  %-26s %7s | %16s %3s | %20s |\n", i, cells[0], sc_or(sc_gpu[i], "persistence", 0) ? "On " : "Off",
               pci, sc_or(sc_gpu[i], "display_active", 0) ? "On" : "Off", cells[11]);
        for (int c = 1; c <= 8; c++)  // fan, temperature, utilization: the unit follows a number
            if ((c < 3 || c == 8) && isdigit((unsigned char)*cells[c])) strcat(cells[c], c == 2 ? "C" : "%");
        snprintf(text, sizeof text, "%.0fW / %.0fW", atof(cells[4]), atof(cells[5]));
        printf("| %3.9s   %3.9s    %-3.9s %22s |", cells[1], cells[2], cells[3],
               isdigit((unsigned char)*cells[4]) ? text : cells[4]);
        snprintf(text, sizeof text, "%.9sMiB / %.9sMiB", cells[6], cells[7]);
        printf(" %20s |", isdigit((unsigned char)*cells[7]) ? text : cells[7]);
        printf(" %7.9s %12.40s |\n", cells[8], cells[9]);
        printf("|%41s|%22s| %20s |\n%s\n", "", "", cells[10], line);
    }
    line = "+---------------------------------------------------------------------------------------+";
    printf("%89s\n%s\n", "", line);
    printf("| Processes:                                                                            |\n");
    printf("|  GPU   GI   CI        PID   Type   Process name                            GPU Memory |\n");
    printf("|        ID   ID                                                             Usage      |\n");
    printf("|=======================================================================================|\n");
    bool any = false;
    for (int i = 0; i < sc_gpus; i++)
        for (int p = 0; sc_item(sc_text(sc_gpu[i], "processes"), p, item, sizeof item); p++, any = true) {
            char mib[32] = "-", name[96] = "python";
            sscanf(item, "%*d:%31[^:]:%95s", mib, name);
            snprintf(text, sizeof text, isdigit((unsigned char)*mib) ? "%sMiB" : "N/A", mib);
            printf("| %4d   N/A  N/A%10d      C   %-36.36s %13.13s |\n", i, atoi(item), name, text);
        }
    if (!any) printf("|  No running processes found                                                           |\n");
    printf("%s\n", line);
}

int main(int argc, char **argv) {
    const char *names = NULL, *format = "", *mode = "";
    for (int i = 1; i < argc; i++) {
        if (!strncmp(argv[i], "--query-gpu=", 12)) names = argv[i] + 12;
        else if (!strncmp(argv[i], "--format=", 9)) format = argv[i] + 9;
        else if (!strcmp(argv[i], "-i") && i + 1 < argc) i++;  // accepted, and all GPUs are shown
        else mode = argv[i];
    }
    sc_enter("nvidia-smi");
    if (sc_text(&sc_machine, "smi_output") && strcmp(sc_text(&sc_machine, "smi_output"), "normal")) {
        int what = (int)sc_or(&sc_machine, "smi_output", 0);
        if (what == 1) printf("%%!s(<nil>) 0x7f ?? , ,, NaN\n\n-- \t |||\n0, , [, ]]\x1b[2J\n");
        if (what == 2) printf("0, NVIDIA \xff\xfe\x80 L4, 00000000:01:00.0\n");
        return (int)sc_or(&sc_machine, "smi_exit", 0);
    }
    int code = (int)sc_or(&sc_machine, "smi_init", sc_or(&sc_machine, "nvml_init", 0)), rc = 0;
    if (!code) code = sc_fault(&sc_machine, "nvml_error", "nvmlInit_v2");
    if (code) rc = start_failed(code);
    else if (!strcmp(mode, "--version")) {
        char cuda[16];
        cuda_version(cuda);
        printf("NVIDIA-SMI version  : %s\nNVML version        : %.*s\nDRIVER version      : %s\nCUDA Version        : %s\n",
               library(), short_length(library()), library(), sc_text(&sc_machine, "driver_version"), cuda);
    } else if (*mode && strcmp(mode, "-L") && strcmp(mode, "--list-gpus") && strcmp(mode, "-q") && strcmp(mode, "--query")) {
        printf("Invalid combination of input arguments. Please run 'nvidia-smi -h' for help.\n\n");
        rc = 1;
    } else if (!sc_gpus) {
        printf("No devices were found\n");
        rc = 6;
    } else if ((rc = no_handle())) {
    } else if (names) rc = query(names, format);
    else if (!strncmp(mode, "-L", 2) || !strcmp(mode, "--list-gpus")) list();
    else if (*mode) details();
    else table();
    return (int)sc_or(&sc_machine, "smi_exit", rc);
}
