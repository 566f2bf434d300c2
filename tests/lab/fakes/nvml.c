// A fake libnvidia-ml.so.1 (nvml.dll): answers from the scenario what a real one answers from the
// driver. Names, numbers and struct layouts are those of the public header of NVML 13; the texts of
// nvmlErrorString and what works before nvmlInit were measured with the real library of driver 550.
#define SC_PREFIX "nvml"
#include "scenario.h"

enum {
    OK = 0, UNINITIALIZED = 1, INVALID_ARGUMENT = 2, NOT_SUPPORTED = 3, NOT_FOUND = 6, TOO_SMALL = 7,
    LIBRARY_NOT_FOUND = 12, VERSION_MISMATCH = 25,
};

typedef void *nvmlDevice;  // points at an sc_section or at an sc_mig_device
typedef unsigned int uint;
typedef unsigned long long ull;

// ---- struct layouts of the public header

typedef struct { char bus_id[16]; uint domain, bus, device, id, subsystem, reserved[4]; } pci_v2;  // also v1
typedef struct { char legacy_id[16]; uint domain, bus, device, id, subsystem; char bus_id[32]; } pci_v3;
typedef struct { ull total, free, used; } memory_v1;
typedef struct { uint version; ull total, reserved, free, used; } memory_v2;
typedef struct { uint gpu, memory; } utilization;
typedef struct { uint pid; ull memory; } process_v1;
typedef struct { uint pid; ull memory; uint gi, ci; } process_v2;  // of the calls _v2 and _v3
typedef struct { uint version, sensor; int value; } temperature_v1;
typedef struct { uint sms, copy, decoders, encoders, jpeg, ofa, gpu_slices, compute_slices; ull memory_mib; } attributes;
typedef struct { unsigned char cluster[16]; int status; uint clique; unsigned char state; } fabric_v1;
typedef struct {
    uint version;
    unsigned char cluster[16];
    int status;
    uint clique;
    unsigned char state;
    uint health;
    unsigned char summary;  // v2 ends before this one
} fabric_v3;
typedef struct {
    uint field, scope;
    long long when, latency;
    uint type;
    int code;
    union { uint u; ull ull; } value;
} field_value;
typedef struct { uint environment, feature, dev_tools; } cc_state;
typedef struct { uint version, environment, feature, dev_tools, multi_gpu; } cc_settings;

// Versioned structs carry their size in the low bytes and the version above: a wrong layout here
// would be refused by every honest client.
#define VERSION(size, number) ((uint)(size) | (uint)(number) << 24)
_Static_assert(sizeof(pci_v2) == 52 && sizeof(pci_v3) == 68, "pci");
_Static_assert(sizeof(memory_v1) == 24 && sizeof(memory_v2) == 40, "memory");
_Static_assert(sizeof(process_v1) == 16 && sizeof(process_v2) == 24, "process");
_Static_assert(sizeof(fabric_v1) == 28 && sizeof(fabric_v3) == 40, "fabric");
_Static_assert(sizeof(field_value) == 40 && sizeof(attributes) == 40, "field value, attributes");

// ---- the beginning of every call

typedef struct { const sc_section *gpu; const sc_mig_device *mig; } target;

static int initialised;

static int begin(const char *function) {
    sc_enter(function);
    return initialised ? sc_fault(&sc_machine, "nvml_error", function) : UNINITIALIZED;
}

static int begin_at(const char *function, nvmlDevice device, target *t) {
    int e = begin(function);
    if (e) return e;
    *t = (target){0};
    for (int i = 0; i < sc_gpus; i++)
        if (device == sc_gpu[i]) t->gpu = sc_gpu[i];
    for (int i = 0; i < sc_migs; i++)
        if (device == &sc_mig[i]) *t = (target){sc_mig[i].gpu, &sc_mig[i]};
    return t->gpu ? sc_fault(t->gpu, "nvml_error", function) : INVALID_ARGUMENT;
}

// The first line of nearly every function below: the call is noted, delayed, refused as the
// scenario says, and its device is found.
#define BEGIN()                       \
    do {                              \
        int e_ = begin(__func__);     \
        if (e_) return e_;            \
    } while (0)
#define BEGIN_AT(device)                        \
    target t;                                   \
    do {                                        \
        int e_ = begin_at(__func__, device, &t); \
        if (e_) return e_;                      \
    } while (0)

static int copy(char *out, uint size, const char *text) {
    if (!text) return NOT_SUPPORTED;
    if (!out) return INVALID_ARGUMENT;
    if (strlen(text) >= size) return TOO_SMALL;
    strcpy(out, text);
    return OK;
}

static bool reading(target t, const char *key, double *value) {
    return !t.mig && sc_num(t.gpu, key, value);  // MIG devices have no readings of their own
}

// One reading, one line: what is not in the scenario is not supported by that card.
#define READING(function, type, key, scale)                  \
    API int function(nvmlDevice device, type *out) {         \
        double v;                                            \
        BEGIN_AT(device);                                    \
        if (!reading(t, key, &v)) return NOT_SUPPORTED;      \
        if (!out) return INVALID_ARGUMENT;                   \
        *out = (type)(v * (scale));                          \
        return OK;                                           \
    }
#define WORDS(function, key)                                            \
    API int function(nvmlDevice device, char *out, uint size) {        \
        BEGIN_AT(device);                                              \
        return copy(out, size, sc_text(t.gpu, key));                   \
    }
// Pairs of a current and a pending value.
#define PENDING(function, current_key, pending_key)                               \
    API int function(nvmlDevice device, uint *current, uint *pending) {           \
        double now;                                                               \
        BEGIN_AT(device);                                                         \
        if (!reading(t, current_key, &now)) return NOT_SUPPORTED;                 \
        if (current) *current = (uint)now;                                        \
        if (pending) *pending = (uint)sc_or(t.gpu, pending_key, now);             \
        return OK;                                                                \
    }

// ---- the library and the system

static int init(const char *function) {
    sc_enter(function);
    sc_banner("nvml_print");
    int e = sc_fault(&sc_machine, "nvml_error", function);
    if (!e) e = (int)sc_or(&sc_machine, "nvml_init", 0);
    if (!e) initialised++;
    return e;
}
API int nvmlInit(void) { return init(__func__); }
API int nvmlInit_v2(void) { return init(__func__); }
API int nvmlInitWithFlags(uint flags) { (void)flags; return init(__func__); }
API int nvmlShutdown(void) { BEGIN(); initialised--; return OK; }

API const char *nvmlErrorString(int code) {
    static const char *text[] = {
        "Success", "Uninitialized", "Invalid Argument", "Not Supported", "Insufficient Permissions",
        "Already Initialized", "Not Found", "Insufficient Size", "Insufficient External Power",
        "Driver Not Loaded", "Timeout", "Interrupt Request Issue", "NVML Shared Library Not Found",
        "Function Not Found", "Corrupted infoROM", "GPU is lost", "GPU requires reset",
        "GPU access blocked by the operating system", "Driver/library version mismatch",
        "In use by another client", "Insufficient Memory", "No data", "vGPU ECC not supported",
        "Insufficient Resources", "Invalid Frequency", "Argument version mismatch",
        "Requested functionality has been deprecated", "System is not in ready state",
        "No supported GPUs were found", "Resource not in correct state to perform requested operation"};
    return code >= 0 && code < (int)(sizeof text / sizeof *text) ? text[code] : "Unknown Error";
}

API int nvmlSystemGetDriverVersion(char *out, uint size) {
    BEGIN();
    return copy(out, size, sc_text(&sc_machine, "driver_version"));
}

API int nvmlSystemGetNVMLVersion(char *out, uint size) {  // works before nvmlInit
    sc_enter(__func__);
    const char *library = sc_text(&sc_machine, "library_version");
    char version[96];
    snprintf(version, sizeof version, "%d.%s", (int)sc_or(&sc_machine, "cuda_version", 12000) / 1000,
             library ? library : sc_text(&sc_machine, "driver_version"));
    return copy(out, size, version);
}

static int cuda_version(int *out) {
    double v;  // NVML asks libcuda, and says so if there is none
    if (!sc_num(&sc_machine, "cuda_version", &v)) return LIBRARY_NOT_FOUND;
    return *out = (int)v, OK;
}
API int nvmlSystemGetCudaDriverVersion(int *out) { BEGIN(); return cuda_version(out); }
API int nvmlSystemGetCudaDriverVersion_v2(int *out) { BEGIN(); return cuda_version(out); }

API int nvmlSystemGetProcessName(uint pid, char *out, uint size) {
    BEGIN();
    char item[192];
    for (int g = 0; g < sc_gpus; g++)
        for (int kind = 0; kind < 2; kind++) {
            const char *list = sc_text(sc_gpu[g], kind ? "graphics_processes" : "processes");
            for (int i = 0; sc_item(list, i, item, sizeof item); i++) {
                char *name = strchr(item, ':');
                if ((uint)atoi(item) == pid && name && (name = strchr(name + 1, ':')))
                    return copy(out, size, name + 1);
            }
        }
    return NOT_FOUND;
}

API int nvmlSystemGetConfComputeState(cc_state *out) {
    double on;
    BEGIN();
    if (!sc_num(&sc_machine, "conf_compute", &on)) return NOT_SUPPORTED;
    out->environment = on ? 2 : 0;  // 2: production
    out->feature = (uint)on;
    out->dev_tools = 0;
    return OK;
}

API int nvmlSystemGetConfComputeSettings(cc_settings *out) {
    double on;
    BEGIN();
    if (out->version != VERSION(sizeof *out, 1)) return VERSION_MISMATCH;
    if (!sc_num(&sc_machine, "conf_compute", &on)) return NOT_SUPPORTED;
    out->environment = on ? 2 : 0;
    out->feature = (uint)on;
    out->dev_tools = out->multi_gpu = 0;
    return OK;
}

API int nvmlSystemGetConfComputeGpusReadyState(uint *out) {
    double ready;
    BEGIN();
    if (!sc_num(&sc_machine, "conf_ready", &ready)) return NOT_SUPPORTED;
    return *out = (uint)ready, OK;
}

// ---- finding devices

static int count(uint *out) { return *out = sc_gpus, OK; }
API int nvmlDeviceGetCount(uint *out) { BEGIN(); return count(out); }
API int nvmlDeviceGetCount_v2(uint *out) { BEGIN(); return count(out); }

static int found(const char *function, const sc_section *gpu, nvmlDevice *out) {
    int e = sc_fault(gpu, "nvml_error", function);
    if (!e) *out = (nvmlDevice)gpu;
    return e;
}

static int by_index(const char *function, uint index, nvmlDevice *out) {
    return index < (uint)sc_gpus ? found(function, sc_gpu[index], out) : INVALID_ARGUMENT;
}
API int nvmlDeviceGetHandleByIndex(uint i, nvmlDevice *out) { BEGIN(); return by_index(__func__, i, out); }
API int nvmlDeviceGetHandleByIndex_v2(uint i, nvmlDevice *out) { BEGIN(); return by_index(__func__, i, out); }

static bool bus_id(const char *text, uint id[4]) {
    return sscanf(text, "%x:%x:%x.%x", &id[0], &id[1], &id[2], &id[3]) == 4;
}

static int by_bus_id(const char *function, const char *text, nvmlDevice *out) {
    uint wanted[4], id[4];
    if (!text || !bus_id(text, wanted)) return INVALID_ARGUMENT;
    for (int i = 0; i < sc_gpus; i++)
        if (bus_id(sc_text(sc_gpu[i], "pci"), id) && !memcmp(id, wanted, sizeof id))
            return found(function, sc_gpu[i], out);
    return NOT_FOUND;
}
API int nvmlDeviceGetHandleByPciBusId(const char *id, nvmlDevice *out) { BEGIN(); return by_bus_id(__func__, id, out); }
API int nvmlDeviceGetHandleByPciBusId_v2(const char *id, nvmlDevice *out) { BEGIN(); return by_bus_id(__func__, id, out); }

API int nvmlDeviceGetHandleByUUID(const char *uuid, nvmlDevice *out) {
    BEGIN();
    if (!uuid) return INVALID_ARGUMENT;
    for (int i = 0; i < sc_gpus; i++)
        if (!strcmp(uuid, sc_text(sc_gpu[i], "uuid"))) return found(__func__, sc_gpu[i], out);
    for (int i = 0; i < sc_migs; i++)
        if (!strcmp(uuid, sc_mig[i].uuid)) return *out = &sc_mig[i], OK;
    return NOT_FOUND;
}

API int nvmlDeviceGetHandleBySerial(const char *serial, nvmlDevice *out) {
    BEGIN();
    for (int i = 0; i < sc_gpus; i++) {
        const char *s = sc_text(sc_gpu[i], "serial");
        if (s && serial && !strcmp(serial, s)) return found(__func__, sc_gpu[i], out);
    }
    return NOT_FOUND;
}

// ---- what a device is

WORDS(nvmlDeviceGetSerial, "serial")
WORDS(nvmlDeviceGetVbiosVersion, "vbios")
READING(nvmlDeviceGetBrand, uint, "brand", 1)

API int nvmlDeviceGetName(nvmlDevice device, char *out, uint size) {
    char name[160];
    BEGIN_AT(device);
    snprintf(name, sizeof name, t.mig && *t.mig->profile ? "%s MIG %s" : "%s", sc_text(t.gpu, "name"),
             t.mig ? t.mig->profile : "");
    return copy(out, size, name);
}

API int nvmlDeviceGetUUID(nvmlDevice device, char *out, uint size) {
    BEGIN_AT(device);
    return copy(out, size, t.mig ? t.mig->uuid : sc_text(t.gpu, "uuid"));
}

API int nvmlDeviceGetIndex(nvmlDevice device, uint *out) {
    BEGIN_AT(device);
    for (*out = 0; *out < (uint)sc_gpus && sc_gpu[*out] != t.gpu; ++*out) {}
    if (t.mig)  // the index of a MIG device counts within its GPU
        for (const sc_mig_device *m = sc_mig + (*out = 0); m < t.mig; m++) *out += m->gpu == t.gpu;
    return OK;
}

API int nvmlDeviceGetMinorNumber(nvmlDevice device, uint *out) {
    BEGIN_AT(device);  // a container's index is not the minor number of the node
    return *out = (uint)sc_or(t.gpu, "minor", t.gpu->index), OK;
}

// Versions 1 and 2 share the old layout, where the bus id has 16 bytes and stands first.
static int pci_old(target t, pci_v2 *out, bool v2) {
    uint id[4];
    bus_id(sc_text(t.gpu, "pci"), id);
    snprintf(out->bus_id, sizeof out->bus_id, "%04X:%02X:%02X.%X", id[0] & 0xffff, id[1] & 0xff, id[2] & 0xff, id[3] & 7);
    out->domain = id[0];
    out->bus = id[1];
    out->device = id[2];
    out->id = (uint)sc_or(t.gpu, "pci_device_id", 0x10DE);
    if (v2) out->subsystem = (uint)sc_or(t.gpu, "pci_subsystem_id", 0);
    return OK;
}
API int nvmlDeviceGetPciInfo(nvmlDevice device, void *out) { BEGIN_AT(device); return pci_old(t, out, false); }
API int nvmlDeviceGetPciInfo_v2(nvmlDevice device, void *out) { BEGIN_AT(device); return pci_old(t, out, true); }

API int nvmlDeviceGetPciInfo_v3(nvmlDevice device, pci_v3 *out) {
    uint id[4];
    BEGIN_AT(device);
    bus_id(sc_text(t.gpu, "pci"), id);
    snprintf(out->legacy_id, sizeof out->legacy_id, "%04X:%02X:%02X.%X", id[0] & 0xffff, id[1] & 0xff, id[2] & 0xff, id[3] & 7);
    snprintf(out->bus_id, sizeof out->bus_id, "%08X:%02X:%02X.%X", id[0], id[1], id[2], id[3]);
    out->domain = id[0];
    out->bus = id[1];
    out->device = id[2];
    out->id = (uint)sc_or(t.gpu, "pci_device_id", 0x10DE);
    out->subsystem = (uint)sc_or(t.gpu, "pci_subsystem_id", 0);
    return OK;
}

API int nvmlDeviceGetCudaComputeCapability(nvmlDevice device, int *major, int *minor) {
    BEGIN_AT(device);
    sscanf(sc_text(t.gpu, "cc"), "%d.%d", major, minor);
    return OK;
}

API int nvmlDeviceGetArchitecture(nvmlDevice device, uint *out) {
    static const struct { double cc; uint arch; } table[] = {
        {10, 10}, {9, 9}, {8.9, 8}, {8, 7}, {7.5, 6}, {7, 5}, {6, 4}, {5, 3}, {3, 2}};
    BEGIN_AT(device);
    for (uint i = 0; i < sizeof table / sizeof *table; i++)
        if (atof(sc_text(t.gpu, "cc")) >= table[i].cc) return *out = table[i].arch, OK;
    return *out = 0xffffffff, OK;
}

API int nvmlDeviceGetNumGpuCores(nvmlDevice device, uint *out) {
    double sm;
    BEGIN_AT(device);
    return reading(t, "sm_count", &sm) ? *out = (uint)sm * 128, OK : NOT_SUPPORTED;
}

// ---- memory

static void memory(target t, ull *total, ull *reserved, ull *used) {
    if (t.mig) {
        *total = (ull)(t.mig->memory < 0 ? 0 : t.mig->memory) * MIB;
        *reserved = *used = 0;
        return;
    }
    *total = (ull)sc_or(t.gpu, "memory_total", 0) * MIB;
    *reserved = (ull)sc_or(t.gpu, "memory_reserved", 0) * MIB;
    *used = (ull)sc_or(t.gpu, "memory_used", 0) * MIB;
}

API int nvmlDeviceGetMemoryInfo(nvmlDevice device, memory_v1 *out) {
    ull total, reserved, used;
    BEGIN_AT(device);
    memory(t, &total, &reserved, &used);
    out->total = total;
    out->used = used + reserved;  // version 1 counts what the driver keeps for itself as used
    out->free = total - out->used;
    return OK;
}

API int nvmlDeviceGetMemoryInfo_v2(nvmlDevice device, memory_v2 *out) {
    BEGIN_AT(device);
    if (out->version != VERSION(sizeof *out, 2)) return VERSION_MISMATCH;
    memory(t, &out->total, &out->reserved, &out->used);
    out->free = out->total - out->reserved - out->used;
    return OK;
}

// ---- modes

PENDING(nvmlDeviceGetMigMode, "mig", "mig_pending")
PENDING(nvmlDeviceGetEccMode, "ecc", "ecc_pending")
PENDING(nvmlDeviceGetDriverModel, "driver_model", "driver_model")
PENDING(nvmlDeviceGetDriverModel_v2, "driver_model", "driver_model")
READING(nvmlDeviceGetPersistenceMode, uint, "persistence", 1)
READING(nvmlDeviceGetDisplayActive, uint, "display_active", 1)
READING(nvmlDeviceGetDisplayMode, uint, "display_active", 1)
READING(nvmlDeviceGetVirtualizationMode, uint, "virtualization", 1)

API int nvmlDeviceGetComputeMode(nvmlDevice device, uint *out) {
    BEGIN_AT(device);
    return *out = (uint)sc_or(t.gpu, "compute_mode", 0), OK;
}

// ---- MIG

API int nvmlDeviceGetMaxMigDeviceCount(nvmlDevice device, uint *out) {
    BEGIN_AT(device);
    return *out = sc_or(t.gpu, "mig", 0) ? 7 : 0, OK;
}

API int nvmlDeviceGetMigDeviceHandleByIndex(nvmlDevice device, uint index, nvmlDevice *out) {
    BEGIN_AT(device);
    if (!sc_text(t.gpu, "mig")) return NOT_SUPPORTED;
    for (int i = 0; i < sc_migs; i++)
        if (sc_mig[i].gpu == t.gpu && index-- == 0) return *out = &sc_mig[i], OK;
    return NOT_FOUND;
}

API int nvmlDeviceIsMigDeviceHandle(nvmlDevice device, uint *out) { BEGIN_AT(device); return *out = t.mig != NULL, OK; }

API int nvmlDeviceGetDeviceHandleFromMigDeviceHandle(nvmlDevice device, nvmlDevice *out) {
    BEGIN_AT(device);
    return t.mig ? *out = (nvmlDevice)t.gpu, OK : INVALID_ARGUMENT;
}

API int nvmlDeviceGetGpuInstanceId(nvmlDevice device, uint *out) {
    BEGIN_AT(device);
    return t.mig ? *out = (uint)t.mig->gi, OK : INVALID_ARGUMENT;
}

API int nvmlDeviceGetComputeInstanceId(nvmlDevice device, uint *out) {
    BEGIN_AT(device);
    return t.mig ? *out = (uint)t.mig->ci, OK : INVALID_ARGUMENT;
}

API int nvmlDeviceGetAttributes_v2(nvmlDevice device, attributes *out) {
    BEGIN_AT(device);
    if (!t.mig) return NOT_SUPPORTED;
    memset(out, 0, sizeof *out);
    out->gpu_slices = out->compute_slices = (uint)atoi(t.mig->profile);  // "3g.20gb"
    out->memory_mib = t.mig->memory < 0 ? 0 : (ull)t.mig->memory;
    return OK;
}

// ---- health: errors and memory repairs

static int ecc(target t, uint uncorrected, uint aggregate, ull *out) {
    static const char *key[2][2] = {{"ecc_corrected_volatile", "ecc_corrected_aggregate"},
                                    {"ecc_uncorrected_volatile", "ecc_uncorrected_aggregate"}};
    double v;
    if (uncorrected > 1 || aggregate > 1 || !out) return INVALID_ARGUMENT;
    return reading(t, key[uncorrected][aggregate], &v) ? *out = (ull)v, OK : NOT_SUPPORTED;
}

API int nvmlDeviceGetTotalEccErrors(nvmlDevice device, uint uncorrected, uint aggregate, ull *out) {
    BEGIN_AT(device);
    return ecc(t, uncorrected, aggregate, out);
}

API int nvmlDeviceGetMemoryErrorCounter(nvmlDevice device, uint uncorrected, uint aggregate, uint place, ull *out) {
    BEGIN_AT(device);
    if (place != 2) return NOT_SUPPORTED;  // 2: device memory, where the scenario puts all errors
    return ecc(t, uncorrected, aggregate, out);
}

static int retired(target t, uint cause, uint *number, ull *address, ull *when) {
    double n;
    if (cause > 1 || !number) return INVALID_ARGUMENT;
    if (!reading(t, cause ? "retired_dbe" : "retired_sbe", &n)) return NOT_SUPPORTED;
    uint room = *number;
    *number = (uint)n;
    if (room < n) return TOO_SMALL;
    for (uint i = 0; i < (uint)n; i++) {
        if (address) address[i] = 0x1000ull * (i + 1);
        if (when) when[i] = 1700000000000000ull + i;
    }
    return OK;
}
API int nvmlDeviceGetRetiredPages(nvmlDevice device, uint cause, uint *n, ull *address) {
    BEGIN_AT(device);
    return retired(t, cause, n, address, NULL);
}
API int nvmlDeviceGetRetiredPages_v2(nvmlDevice device, uint cause, uint *n, ull *address, ull *when) {
    BEGIN_AT(device);
    return retired(t, cause, n, address, when);
}
READING(nvmlDeviceGetRetiredPagesPendingStatus, uint, "retired_pending", 1)

API int nvmlDeviceGetRemappedRows(nvmlDevice device, uint *correctable, uint *uncorrectable, uint *pending, uint *failure) {
    static const char *key[] = {"remapped_correctable", "remapped_uncorrectable", "remapped_pending", "remapped_failure"};
    uint *out[] = {correctable, uncorrectable, pending, failure};
    bool any = false;
    BEGIN_AT(device);
    for (int i = 0; i < 4; i++) any |= sc_text(t.gpu, key[i]) != NULL;
    if (!any || t.mig) return NOT_SUPPORTED;
    for (int i = 0; i < 4; i++) *out[i] = (uint)sc_or(t.gpu, key[i], 0);
    return OK;
}

// ---- health: heat, power, clocks, link

API int nvmlDeviceGetTemperature(nvmlDevice device, uint sensor, uint *out) {
    double v;
    BEGIN_AT(device);
    if (sensor || !out) return INVALID_ARGUMENT;
    return reading(t, "temperature", &v) ? *out = (uint)v, OK : NOT_SUPPORTED;
}

API int nvmlDeviceGetTemperatureV(nvmlDevice device, temperature_v1 *out) {
    double v;
    BEGIN_AT(device);
    if (out->version != VERSION(sizeof *out, 1)) return VERSION_MISMATCH;
    if (out->sensor) return INVALID_ARGUMENT;
    return reading(t, "temperature", &v) ? out->value = (int)v, OK : NOT_SUPPORTED;
}

API int nvmlDeviceGetTemperatureThreshold(nvmlDevice device, uint kind, uint *out) {
    static const char *key[] = {"temperature_shutdown", "temperature_slowdown", "temperature_memory_max", "temperature_gpu_max"};
    double v;
    BEGIN_AT(device);
    return kind < 4 && reading(t, key[kind], &v) ? *out = (uint)v, OK : NOT_SUPPORTED;
}

READING(nvmlDeviceGetPowerUsage, uint, "power_usage", 1000)  // milliwatts
READING(nvmlDeviceGetPowerManagementLimit, uint, "power_limit", 1000)
READING(nvmlDeviceGetPowerManagementDefaultLimit, uint, "power_default", 1000)

API int nvmlDeviceGetEnforcedPowerLimit(nvmlDevice device, uint *out) {
    double v;
    BEGIN_AT(device);
    if (!reading(t, "power_enforced", &v) && !reading(t, "power_limit", &v)) return NOT_SUPPORTED;
    return *out = (uint)(v * 1000), OK;
}

API int nvmlDeviceGetPowerManagementLimitConstraints(nvmlDevice device, uint *min, uint *max) {
    double low, high;
    BEGIN_AT(device);
    if (!reading(t, "power_min", &low) || !reading(t, "power_max", &high)) return NOT_SUPPORTED;
    return *min = (uint)(low * 1000), *max = (uint)(high * 1000), OK;
}

API int nvmlDeviceGetPowerManagementMode(nvmlDevice device, uint *out) {
    BEGIN_AT(device);
    return sc_text(t.gpu, "power_limit") ? *out = 1, OK : NOT_SUPPORTED;
}

static int clock_of(target t, uint kind, bool max, uint *out) {
    static const char *key[4][2] = {{"clock_graphics", "clock_graphics_max"}, {"clock_sm", "clock_sm_max"},
                                    {"clock_memory", "clock_memory_max"}, {"clock_video", "clock_video_max"}};
    double v;
    if (kind > 3 || !out) return INVALID_ARGUMENT;
    return reading(t, key[kind][max], &v) ? *out = (uint)v, OK : NOT_SUPPORTED;
}
API int nvmlDeviceGetClockInfo(nvmlDevice device, uint kind, uint *out) { BEGIN_AT(device); return clock_of(t, kind, false, out); }
API int nvmlDeviceGetMaxClockInfo(nvmlDevice device, uint kind, uint *out) { BEGIN_AT(device); return clock_of(t, kind, true, out); }
API int nvmlDeviceGetClock(nvmlDevice device, uint kind, uint id, uint *out) {
    BEGIN_AT(device);
    return id ? NOT_SUPPORTED : clock_of(t, kind, false, out);  // 0: the current clock
}

// The same reading has an old and a new name (from driver 535 on).
READING(nvmlDeviceGetCurrentClocksThrottleReasons, ull, "clock_reasons", 1)
READING(nvmlDeviceGetCurrentClocksEventReasons, ull, "clock_reasons", 1)
READING(nvmlDeviceGetSupportedClocksThrottleReasons, ull, "clock_reasons_supported", 1)
READING(nvmlDeviceGetSupportedClocksEventReasons, ull, "clock_reasons_supported", 1)

READING(nvmlDeviceGetCurrPcieLinkGeneration, uint, "pcie_gen", 1)
READING(nvmlDeviceGetMaxPcieLinkGeneration, uint, "pcie_gen_max", 1)
READING(nvmlDeviceGetCurrPcieLinkWidth, uint, "pcie_width", 1)
READING(nvmlDeviceGetMaxPcieLinkWidth, uint, "pcie_width_max", 1)
READING(nvmlDeviceGetPcieReplayCounter, uint, "pcie_replays", 1)
READING(nvmlDeviceGetFanSpeed, uint, "fan", 1)

API int nvmlDeviceGetNumFans(nvmlDevice device, uint *out) {
    BEGIN_AT(device);
    return *out = sc_text(t.gpu, "fan") != NULL, OK;
}

API int nvmlDeviceGetFanSpeed_v2(nvmlDevice device, uint fan, uint *out) {
    double v;
    BEGIN_AT(device);
    if (!reading(t, "fan", &v)) return NOT_SUPPORTED;
    return fan ? INVALID_ARGUMENT : (*out = (uint)v, OK);
}

static int pstate(target t, uint *out) {
    double v;
    return reading(t, "pstate", &v) ? *out = (uint)v, OK : NOT_SUPPORTED;
}
API int nvmlDeviceGetPerformanceState(nvmlDevice device, uint *out) { BEGIN_AT(device); return pstate(t, out); }
API int nvmlDeviceGetPowerState(nvmlDevice device, uint *out) { BEGIN_AT(device); return pstate(t, out); }

API int nvmlDeviceGetUtilizationRates(nvmlDevice device, utilization *out) {
    double gpu, memory;
    BEGIN_AT(device);
    if (!reading(t, "utilization_gpu", &gpu) || !reading(t, "utilization_memory", &memory)) return NOT_SUPPORTED;
    return out->gpu = (uint)gpu, out->memory = (uint)memory, OK;
}

// ---- who is on it

static int processes(target t, const char *key, bool v1, uint *number, void *out) {
    char item[192];
    uint n = 0;
    if (!number) return INVALID_ARGUMENT;
    while (sc_item(sc_text(t.gpu, key), (int)n, item, sizeof item)) n++;
    uint room = *number;
    *number = n;
    if (room < n) return TOO_SMALL;
    for (uint i = 0; i < n; i++) {
        sc_item(sc_text(t.gpu, key), (int)i, item, sizeof item);
        char *mib = strchr(item, ':');
        uint pid = (uint)atoi(item);
        // All ones: not available, as under WDDM and in a container without the host's pids.
        ull memory = mib && isdigit((unsigned char)mib[1]) ? strtoull(mib + 1, NULL, 10) * MIB : ~0ull;
        if (v1) ((process_v1 *)out)[i] = (process_v1){pid, memory};
        else ((process_v2 *)out)[i] = (process_v2){pid, memory, ~0u, ~0u};
    }
    return OK;
}
#define PROCESSES(function, key, v1)                                       \
    API int function(nvmlDevice device, uint *number, void *out) {         \
        BEGIN_AT(device);                                                  \
        return processes(t, key, v1, number, out);                         \
    }
PROCESSES(nvmlDeviceGetComputeRunningProcesses, "processes", true)
PROCESSES(nvmlDeviceGetComputeRunningProcesses_v2, "processes", false)
PROCESSES(nvmlDeviceGetComputeRunningProcesses_v3, "processes", false)
PROCESSES(nvmlDeviceGetGraphicsRunningProcesses, "graphics_processes", true)
PROCESSES(nvmlDeviceGetGraphicsRunningProcesses_v2, "graphics_processes", false)
PROCESSES(nvmlDeviceGetGraphicsRunningProcesses_v3, "graphics_processes", false)

// ---- what connects them

API int nvmlDeviceGetNvLinkState(nvmlDevice device, uint link, uint *out) {
    char item[8];
    BEGIN_AT(device);
    if (!sc_text(t.gpu, "nvlink")) return NOT_SUPPORTED;
    if (!sc_item(sc_text(t.gpu, "nvlink"), (int)link, item, sizeof item)) return INVALID_ARGUMENT;
    return *out = (uint)atoi(item), OK;
}

// The scenario says what is at the other end of every link: 0 a GPU, 1 a processor, 2 a switch.
API int nvmlDeviceGetNvLinkRemoteDeviceType(nvmlDevice device, uint link, uint *out) {
    char item[8];
    double v;
    BEGIN_AT(device);
    if (!sc_item(sc_text(t.gpu, "nvlink"), (int)link, item, sizeof item)) return INVALID_ARGUMENT;
    return sc_num(&sc_machine, "nvlink_remote", &v) ? *out = (uint)v, OK : NOT_SUPPORTED;
}

API int nvmlDeviceGetP2PStatus(nvmlDevice device, nvmlDevice other, uint what, uint *out) {
    double v;
    (void)other, (void)what;
    BEGIN_AT(device);
    return sc_num(&sc_machine, "p2p", &v) ? *out = (uint)v, OK : NOT_SUPPORTED;
}

API int nvmlDeviceGetTopologyCommonAncestor(nvmlDevice device, nvmlDevice other, uint *out) {
    double v;
    (void)other;
    BEGIN_AT(device);
    return sc_num(&sc_machine, "topology", &v) ? *out = (uint)v, OK : NOT_SUPPORTED;
}

static int fabric(target t, fabric_v1 *out) {
    double state;
    if (!reading(t, "fabric_state", &state)) return NOT_SUPPORTED;
    memset(out->cluster, state == 3 ? 0xab : 0, sizeof out->cluster);
    out->status = (int)sc_or(t.gpu, "fabric_status", 0);
    out->clique = (uint)sc_or(t.gpu, "fabric_clique", 0);
    out->state = (unsigned char)state;
    return OK;
}

API int nvmlDeviceGetGpuFabricInfo(nvmlDevice device, fabric_v1 *out) { BEGIN_AT(device); return fabric(t, out); }

API int nvmlDeviceGetGpuFabricInfoV(nvmlDevice device, fabric_v3 *out) {
    fabric_v1 v1;
    BEGIN_AT(device);
    bool v3 = out->version == VERSION(40, 3);
    if (!v3 && out->version != VERSION(36, 2)) return VERSION_MISMATCH;
    int e = fabric(t, &v1);
    if (e) return e;
    memcpy(out->cluster, v1.cluster, sizeof out->cluster);
    out->status = v1.status;
    out->clique = v1.clique;
    out->state = v1.state;
    out->health = (uint)sc_or(t.gpu, "fabric_health", 0);
    if (v3) out->summary = v1.state == 3 ? 1 : 0;
    return OK;
}

// ---- readings by number

API int nvmlDeviceGetFieldValues(nvmlDevice device, int number, field_value *out) {
    static const struct { uint field; const char *key; double scale; } table[] = {
        {1, "ecc", 1}, {29, "retired_sbe", 1}, {30, "retired_dbe", 1}, {31, "retired_pending", 1},
        {82, "temperature_memory", 1}, {94, "pcie_replays", 1},
        {142, "remapped_correctable", 1}, {143, "remapped_uncorrectable", 1},
        {144, "remapped_pending", 1}, {145, "remapped_failure", 1},
        {185, "power_usage", 1000}, {186, "power_usage", 1000}, {187, "power_min", 1000}, {188, "power_max", 1000},
        {189, "power_default", 1000}, {190, "power_limit", 1000}, {230, "recovery_action", 1}};
    BEGIN_AT(device);
    if (!out || number < 1) return INVALID_ARGUMENT;
    for (int i = 0; i < number; i++) {
        double v;
        out[i].when = out[i].latency = 0;
        out[i].type = 1;  // unsigned int
        out[i].value.ull = 0;
        out[i].code = NOT_SUPPORTED;  // one field may fail while the call succeeds
        if (out[i].field == 91 && sc_text(t.gpu, "nvlink")) {
            char item[8];
            while (sc_item(sc_text(t.gpu, "nvlink"), (int)out[i].value.u, item, sizeof item)) out[i].value.u++;
            out[i].code = OK;
        }
        for (uint k = 0; k < sizeof table / sizeof *table; k++)
            if (table[k].field == out[i].field && reading(t, table[k].key, &v)) {
                out[i].value.u = (uint)(v * table[k].scale);
                out[i].code = OK;
            }
    }
    return OK;
}

// ---- the rest of what clients look up: there, as in a real library, but with nothing to say

#define UNSUPPORTED(function) \
    API int function(void) { BEGIN(); return NOT_SUPPORTED; }
#include "nvml-unsupported.h"
