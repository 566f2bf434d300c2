// A fake libcuda.so.1 (nvcuda.dll): the part of the driver API that it takes to find devices, put a
// context on one and compute something there. Numbers, names and signatures are those of the public
// header; error texts, what works before cuInit and how cuGetProcAddress chooses were measured with
// the real library of driver 550.
#define SC_PREFIX "cu"
#include "scenario.h"

enum {
    OK = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, NOT_INITIALIZED = 3, UNAVAILABLE = 46, NO_DEVICE = 100,
    INVALID_DEVICE = 101, INVALID_IMAGE = 200, INVALID_CONTEXT = 201, NO_BINARY = 209, INVALID_PTX = 218,
    UNSUPPORTED_PTX = 222, JIT_DISABLED = 223, INVALID_HANDLE = 400, NOT_FOUND = 500, ILLEGAL_ADDRESS = 700,
    NOT_SUPPORTED = 801, UNKNOWN = 999,
};

typedef unsigned int uint;
typedef unsigned long long CUdeviceptr;
typedef struct { unsigned char bytes[16]; } CUuuid;
typedef struct context { int device; bool primary; int users; intptr_t lock; int broken; } context;
typedef struct { char *ptx; } module;
typedef struct { module *of; char name[128]; } function;
typedef struct allocation { struct allocation *next; CUdeviceptr at; size_t size; int device; unsigned char *host; } allocation;

// What CUDA sees: a whole GPU or one MIG device.
typedef struct { const sc_section *gpu; const sc_mig_device *mig; context *primary; } device;
static device devices[SC_GPUS];
static int device_count = -1;                  // -1: cuInit has not succeeded
static allocation *allocations;
static _Thread_local context *current;

static int begin(const char *name) {
    sc_enter(name);
    if (device_count < 0) return NOT_INITIALIZED;
    return sc_fault(&sc_machine, "cu_error", name);
}

static int begin_at(const char *name, int d) {
    int e = begin(name);
    if (e) return e;
    if (d < 0 || d >= device_count) return INVALID_DEVICE;
    return sc_fault(devices[d].gpu, "cu_error", name);
}

static int begin_here(const char *name) {
    int e = begin(name);
    if (e) return e;
    if (!current) return INVALID_CONTEXT;
    // An error inside a kernel spoils its context for good.
    if (current->broken) return current->broken;
    return sc_fault(devices[current->device].gpu, "cu_error", name);
}

#define TRY(call)           \
    do {                    \
        int e_ = (call);    \
        if (e_) return e_;  \
    } while (0)
#define BEGIN() TRY(begin(__func__))
#define BEGIN_AT(d) TRY(begin_at(__func__, d))
#define BEGIN_HERE() TRY(begin_here(__func__))

// ---- which devices: CUDA_DEVICE_ORDER, MIG and CUDA_VISIBLE_DEVICES

static device candidates[SC_GPUS + SC_MIGS];
static int candidate_count;

static void candidate(const sc_section *gpu, const sc_mig_device *mig) {
    candidates[candidate_count++] = (device){gpu, mig, NULL};
}

// By index, whole GPUs come first; a GPU in MIG mode is no device itself, its first MIG device
// stands at the end of the list (DataDog/datadog-agent#36377).
static void list_candidates(void) {
    const char *order = getenv("CUDA_DEVICE_ORDER");
    const sc_section *sorted[SC_GPUS];
    int n = 0;
    for (int i = 0; i < sc_gpus; i++)
        if (!sc_or(sc_gpu[i], "cuda_hidden", 0)) sorted[n++] = sc_gpu[i];
    if (!order || strcmp(order, "PCI_BUS_ID"))
        for (int i = 1; i < n; i++)  // insertion sort: stable
            for (int k = i; k && sc_or(sorted[k], "cuda_rank", k) < sc_or(sorted[k - 1], "cuda_rank", k - 1); k--) {
                const sc_section *other = sorted[k];
                sorted[k] = sorted[k - 1];
                sorted[k - 1] = other;
            }
    candidate_count = 0;
    for (int i = 0; i < n; i++)
        if (!sc_or(sorted[i], "mig", 0)) candidate(sorted[i], NULL);
    for (int i = 0; i < n; i++)
        for (int m = 0; sc_or(sorted[i], "mig", 0) && m < sc_migs; m++)
            if (sc_mig[m].gpu == sorted[i]) {
                candidate(sorted[i], &sc_mig[m]);
                break;
            }
}

static device *by_uuid(const char *wanted) {
    static device match;
    int matches = 0;
    if (!strncmp(wanted, "MIG-", 4)) {
        for (int i = 0; i < sc_migs; i++) {
            char old[160];  // the form of drivers before 470
            snprintf(old, sizeof old, "MIG-%s/%d/%d", sc_text(sc_mig[i].gpu, "uuid"), sc_mig[i].gi, sc_mig[i].ci);
            if (sc_or(sc_mig[i].gpu, "cuda_hidden", 0) || !sc_or(sc_mig[i].gpu, "mig", 0)) continue;
            if (!strncmp(sc_mig[i].uuid, wanted, strlen(wanted)) || !strcmp(old, wanted))
                match = (device){sc_mig[i].gpu, &sc_mig[i], NULL}, matches++;
        }
    } else {
        for (int i = 0; i < candidate_count; i++)  // also finds a MIG device by its GPU's id
            if (!strncmp(sc_text(candidates[i].gpu, "uuid"), wanted, strlen(wanted)))
                match = candidates[i], matches++;
    }
    return matches == 1 ? &match : NULL;  // a prefix must name one device
}

// "Only the devices before the first invalid entry are visible"; an entry twice leaves none.
// Indexes are read as strtoul reads them, so "1gpu" is 1, and the first entry decides the kind of
// all (torch/cuda/__init__.py, _parse_visible_devices, imitates the same).
static void select_devices(void) {
    const char *mask = getenv("CUDA_VISIBLE_DEVICES");
    char item[192];
    list_candidates();
    device_count = 0;
    if (!mask)
        for (int i = 0; i < candidate_count; i++) devices[device_count++] = candidates[i];
    else {
        bool uuids = !strncmp(mask, "GPU-", 4) || !strncmp(mask, "MIG-", 4);
        for (int i = 0; sc_item(mask, i, item, sizeof item) && device_count < SC_GPUS; i++) {
            device *d = NULL;
            if (uuids && !strncmp(item, mask, 4)) d = by_uuid(item);
            else if (!uuids) {
                char *end;
                long n = strtol(item, &end, 10);
                if (end != item && n >= 0 && n < candidate_count) d = &candidates[n];
            }
            if (!d) break;
            for (int k = 0; k < device_count; k++)
                if (devices[k].gpu == d->gpu && devices[k].mig == d->mig) {
                    device_count = 0;
                    return;
                }
            devices[device_count++] = *d;
        }
    }
    // A process sees one MIG device, or whole GPUs, but not both (MIG user guide, "CUDA device
    // enumeration").
    int kept = 0;
    for (int i = 0; i < device_count; i++)
        if (devices[0].mig ? i == 0 : !devices[i].mig) devices[kept++] = devices[i];
    device_count = kept;
}

// ---- initialisation and errors

API int cuInit(uint flags) {
    sc_enter(__func__);
    sc_banner("cu_print");
    if (flags) return INVALID_VALUE;
    TRY(sc_fault(&sc_machine, "cu_error", __func__));
    TRY((int)sc_or(&sc_machine, "cu_init", 0));
    const char *uvm = sc_text(&sc_machine, "uvm_node");
    if (uvm) {
        bool create = sc_or(&sc_machine, "uvm_on_demand", 0);
        int fd = open(sc_path(uvm), O_RDWR | O_CLOEXEC | (create ? O_CREAT : 0), 0666);
        if (fd < 0) return UNKNOWN;
        close(fd);
    }
    if (device_count > 0) return OK;
    select_devices();
    if (device_count) return OK;
    device_count = -1;
    return NO_DEVICE;
}

API int cuDriverGetVersion(int *out) {  // works before cuInit
    double v;
    sc_enter(__func__);
    TRY(sc_fault(&sc_machine, "cu_error", __func__));
    if (!sc_num(&sc_machine, "cuda_version", &v)) sc_die(0, "libcuda is loaded, but there is no 'cuda_version'");
    if (!out) return INVALID_VALUE;
    return *out = (int)v, OK;
}

static const struct { int code; const char *name, *text; } errors[] = {
    {0, "CUDA_SUCCESS", "no error"},
    {1, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {2, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {3, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {4, "CUDA_ERROR_DEINITIALIZED", "driver shutting down"},
    {34, "CUDA_ERROR_STUB_LIBRARY", "CUDA driver is a stub library"},
    {46, "CUDA_ERROR_DEVICE_UNAVAILABLE", "CUDA-capable device(s) is/are busy or unavailable"},
    {100, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {101, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {102, "CUDA_ERROR_DEVICE_NOT_LICENSED", "device doesn't have valid Grid license"},
    {200, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    {201, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {209, "CUDA_ERROR_NO_BINARY_FOR_GPU", "no kernel image is available for execution on the device"},
    {214, "CUDA_ERROR_ECC_UNCORRECTABLE", "uncorrectable ECC error encountered"},
    {216, "CUDA_ERROR_CONTEXT_ALREADY_IN_USE", "exclusive-thread device already in use by a different thread"},
    {218, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
    {220, "CUDA_ERROR_NVLINK_UNCORRECTABLE", "uncorrectable NVLink error detected during the execution"},
    {221, "CUDA_ERROR_JIT_COMPILER_NOT_FOUND", "PTX JIT compiler library not found"},
    {222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION", "the provided PTX was compiled with an unsupported toolchain."},
    {223, "CUDA_ERROR_JIT_COMPILATION_DISABLED", "PTX JIT compilation was disabled"},
    {226, "CUDA_ERROR_CONTAINED", "Invalid access of peer GPU memory over nvlink or a hardware error"},
    {301, "CUDA_ERROR_FILE_NOT_FOUND", "file not found"},
    {302, "CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND", "shared object symbol not found"},
    {303, "CUDA_ERROR_SHARED_OBJECT_INIT_FAILED", "shared object initialization failed"},
    {304, "CUDA_ERROR_OPERATING_SYSTEM", "OS call failed or operation not supported on this OS"},
    {400, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {401, "CUDA_ERROR_ILLEGAL_STATE", "the operation cannot be performed in the present state"},
    {500, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {600, "CUDA_ERROR_NOT_READY", "device not ready"},
    {700, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "too many resources requested for launch"},
    {702, "CUDA_ERROR_LAUNCH_TIMEOUT", "the launch timed out and was terminated"},
    {714, "CUDA_ERROR_HARDWARE_STACK_ERROR", "hardware stack error"},
    {715, "CUDA_ERROR_ILLEGAL_INSTRUCTION", "an illegal instruction was encountered"},
    {716, "CUDA_ERROR_MISALIGNED_ADDRESS", "misaligned address"},
    {719, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {800, "CUDA_ERROR_NOT_PERMITTED", "operation not permitted"},
    {801, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
    {802, "CUDA_ERROR_SYSTEM_NOT_READY", "system not yet initialized"},
    {803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", "system has unsupported display driver / cuda driver combination"},
    {804, "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE", "forward compatibility was attempted on non supported HW"},
    {805, "CUDA_ERROR_MPS_CONNECTION_FAILED", "MPS client failed to connect to the MPS control daemon or the MPS server"},
    {806, "CUDA_ERROR_MPS_RPC_FAILURE", "the remote procedural call between the MPS server and the MPS client failed"},
    {807, "CUDA_ERROR_MPS_SERVER_NOT_READY", "MPS server is not ready to accept new MPS client requests"},
    {808, "CUDA_ERROR_MPS_MAX_CLIENTS_REACHED", "the hardware resources required to create MPS client have been exhausted"},
    {809, "CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED", "the hardware resources required to support device connections have been exhausted"},
    {810, "CUDA_ERROR_MPS_CLIENT_TERMINATED", "the MPS client has been terminated by the server"},
    {999, "CUDA_ERROR_UNKNOWN", "unknown error"},
};

static int error(int code, const char **out, bool name) {
    *out = NULL;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].code == code) return *out = name ? errors[i].name : errors[i].text, OK;
    return INVALID_VALUE;
}
API int cuGetErrorName(int code, const char **out) { return error(code, out, true); }
API int cuGetErrorString(int code, const char **out) { return error(code, out, false); }

// ---- devices

API int cuDeviceGetCount(int *out) { BEGIN(); return *out = device_count, OK; }
API int cuDeviceGet(int *out, int ordinal) { BEGIN_AT(ordinal); return *out = ordinal, OK; }

API int cuDeviceGetName(char *out, int size, int d) {
    BEGIN_AT(d);
    const sc_mig_device *mig = devices[d].mig;
    snprintf(out, size > 0 ? (size_t)size : 0, mig && *mig->profile ? "%s MIG %s" : "%s",
             sc_text(devices[d].gpu, "name"), mig ? mig->profile : "");
    return OK;
}

static int uuid(int d, bool mig, CUuuid *out) {
    const char *text = mig && devices[d].mig ? devices[d].mig->uuid : sc_text(devices[d].gpu, "uuid");
    int n = 0;
    memset(out, 0, sizeof *out);
    for (text = strchr(text, '-'); text && *text && n < 32; text++)
        if (isxdigit((unsigned char)*text)) {
            int digit = isdigit((unsigned char)*text) ? *text - '0' : tolower((unsigned char)*text) - 'a' + 10;
            out->bytes[n / 2] |= (unsigned char)(n % 2 ? digit : digit << 4);
            n++;
        }
    return OK;
}
API int cuDeviceGetUuid(CUuuid *out, int d) { BEGIN_AT(d); return uuid(d, false, out); }
API int cuDeviceGetUuid_v2(CUuuid *out, int d) { BEGIN_AT(d); return uuid(d, true, out); }

static void pci(int d, uint id[4]) {
    sscanf(sc_text(devices[d].gpu, "pci"), "%x:%x:%x.%x", &id[0], &id[1], &id[2], &id[3]);
}

API int cuDeviceGetPCIBusId(char *out, int size, int d) {
    uint id[4];
    BEGIN_AT(d);
    pci(d, id);
    snprintf(out, size > 0 ? (size_t)size : 0, "%04X:%02X:%02X.%X", id[0], id[1], id[2], id[3]);
    return OK;
}

API int cuDeviceGetByPCIBusId(int *out, const char *text) {
    uint id[4], wanted[4];
    BEGIN();
    if (sscanf(text, "%x:%x:%x.%x", &wanted[0], &wanted[1], &wanted[2], &wanted[3]) != 4) return INVALID_VALUE;
    for (int d = 0; d < device_count; d++) {
        pci(d, id);
        if (!memcmp(id, wanted, sizeof id)) return *out = d, OK;
    }
    return INVALID_DEVICE;
}

static double memory_mib(int d) {
    const sc_mig_device *mig = devices[d].mig;
    return mig && mig->memory >= 0 ? mig->memory : sc_or(devices[d].gpu, "memory_total", 0);
}

API int cuDeviceTotalMem_v2(size_t *out, int d) { BEGIN_AT(d); return *out = (size_t)memory_mib(d) * MIB, OK; }

API int cuDeviceComputeCapability(int *major, int *minor, int d) {
    BEGIN_AT(d);
    return sscanf(sc_text(devices[d].gpu, "cc"), "%d.%d", major, minor), OK;
}

// What frameworks ask beyond that: as an L4 answers, but without what would lead them to calls that are not here.
static int ordinary(int attribute, int *out) {
    static const struct { int attribute, value; } table[] = {
        {2, 1024}, {3, 1024}, {4, 64}, {5, 2147483647}, {6, 65535}, {7, 65535},  // largest block and grid
        {8, 49152}, {97, 101376}, {81, 102400}, {111, 1024},                     // shared memory: block, opt-in, SM, reserved
        {9, 65536}, {12, 65536}, {82, 65536}, {39, 1536}, {106, 24},             // constants, registers, threads and blocks of an SM
        {14, 512}, {11, 2147483647}, {15, 1}, {17, 0}, {19, 1}, {31, 1}, {40, 2}, {78, 1}, {90, 1}, {95, 1},
        {36, 6251000}, {37, 192}, {38, 50331648},                                // memory: kHz, bits, L2
        {88, 0}, {89, 1}, {102, 0}, {110, 0}, {115, 0}, {116, 0}, {119, 0},      // no virtual memory, pools or RDMA
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].attribute == attribute) return *out = table[i].value, OK;
    return INVALID_VALUE;
}

API int cuDeviceGetAttribute(int *out, int attribute, int d) {
    BEGIN_AT(d);
    const sc_section *g = devices[d].gpu;
    uint id[4];
    int major, minor;
    sscanf(sc_text(g, "cc"), "%d.%d", &major, &minor);
    pci(d, id);
    switch (attribute) {
    case 1: *out = 1024; break;                                     // threads per block
    case 10: *out = 32; break;                                      // warp size
    case 13: *out = (int)sc_or(g, "clock_sm_max", 1500) * 1000; break;
    case 16: *out = (int)sc_or(g, "sm_count", 1); break;
    case 18: *out = (int)sc_or(g, "integrated", 0); break;
    case 20: *out = (int)sc_or(g, "compute_mode", 0); break;
    case 32: *out = (int)sc_or(g, "ecc", 0); break;
    case 33: *out = (int)id[1]; break;                              // PCI bus
    case 34: *out = (int)id[2]; break;                              // PCI device
    case 35: *out = sc_or(g, "driver_model", 0) == 1; break;        // TCC
    case 41: *out = 1; break;                                       // unified addressing
    case 50: *out = (int)id[0]; break;                              // PCI domain
    case 75: *out = major; break;
    case 76: *out = minor; break;
    case 83: *out = 1; break;                                       // managed memory
    default: return ordinary(attribute, out);
    }
    return OK;
}

API int cuDeviceCanAccessPeer(int *out, int d, int peer) {
    BEGIN_AT(d);
    if (peer < 0 || peer >= device_count) return INVALID_DEVICE;
    return *out = d != peer && sc_or(&sc_machine, "p2p", 6) == 0, OK;
}

// ---- contexts

// One context on an exclusive GPU, whichever process asks: a lock on a file beside the scenario.
static int lock_device(int d, intptr_t *lock) {
    const sc_section *g = devices[d].gpu;
    int mode = (int)sc_or(g, "compute_mode", 0);
    char name[160];
    *lock = -1;
    if (mode == 2) return UNAVAILABLE;
    if (mode != 1 && mode != 3) return OK;
    if (sc_text(g, "processes")) return UNAVAILABLE;  // somebody has it already
    snprintf(name, sizeof name, ".context-%s", sc_text(g, "uuid"));
#ifdef _WIN32
    HANDLE h = CreateFileA(sc_path(name), GENERIC_WRITE, 0, NULL, OPEN_ALWAYS, FILE_FLAG_DELETE_ON_CLOSE, NULL);
    if (h == INVALID_HANDLE_VALUE) return UNAVAILABLE;
    *lock = (intptr_t)h;
#else
    int fd = open(sc_path(name), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0) sc_die(0, "cannot create %s: %s", name, strerror(errno));
    if (flock(fd, LOCK_EX | LOCK_NB)) return close(fd), UNAVAILABLE;
    *lock = fd;
#endif
    return OK;
}

static void unlock_device(intptr_t lock) {
    if (lock == -1) return;
#ifdef _WIN32
    CloseHandle((HANDLE)lock);
#else
    close((int)lock);
#endif
}

static int create(int d, bool primary, context **out) {
    intptr_t lock;
    TRY(lock_device(d, &lock));
    *out = calloc(1, sizeof **out);
    **out = (context){.device = d, .primary = primary, .users = 1, .lock = lock};
    return OK;
}

static void destroy(context *c) {
    if (current == c) current = NULL;
    unlock_device(c->lock);
    free(c);
}

static int create_current(int d, context **out) {
    TRY(create(d, false, out));
    current = *out;
    return OK;
}
// _v3 and _v4 ask for more in a parameter that only the real thing needs.
API int cuCtxCreate_v2(context **out, uint flags, int d) {
    (void)flags;
    BEGIN_AT(d);
    return create_current(d, out);
}
API int cuCtxCreate_v3(context **out, void *affinity, int count, uint flags, int d) {
    (void)affinity, (void)count, (void)flags;
    BEGIN_AT(d);
    return create_current(d, out);
}
API int cuCtxCreate_v4(context **out, void *parameters, uint flags, int d) {
    (void)parameters, (void)flags;
    BEGIN_AT(d);
    return create_current(d, out);
}

API int cuCtxDestroy_v2(context *c) {
    BEGIN();
    if (!c || c->primary) return INVALID_CONTEXT;
    destroy(c);
    return OK;
}

API int cuDevicePrimaryCtxRetain(context **out, int d) {
    BEGIN_AT(d);
    if (!devices[d].primary) TRY(create(d, true, &devices[d].primary));
    else devices[d].primary->users++;
    return *out = devices[d].primary, OK;
}

static int release(int d, bool all) {
    context *c = devices[d].primary;
    if (!c) return all ? OK : INVALID_CONTEXT;
    if (--c->users && !all) return OK;
    destroy(c);
    devices[d].primary = NULL;
    return OK;
}
API int cuDevicePrimaryCtxRelease(int d) { BEGIN_AT(d); return release(d, false); }
API int cuDevicePrimaryCtxRelease_v2(int d) { BEGIN_AT(d); return release(d, false); }
API int cuDevicePrimaryCtxReset(int d) { BEGIN_AT(d); return release(d, true); }
API int cuDevicePrimaryCtxReset_v2(int d) { BEGIN_AT(d); return release(d, true); }
API int cuDevicePrimaryCtxGetState(int d, uint *flags, int *active) {
    BEGIN_AT(d);
    return *flags = 0, *active = devices[d].primary != NULL, OK;
}

API int cuCtxSetCurrent(context *c) { BEGIN(); return current = c, OK; }
API int cuCtxGetCurrent(context **out) { BEGIN(); return *out = current, OK; }
API int cuCtxGetDevice(int *out) { BEGIN_HERE(); return *out = current->device, OK; }
// A stack of contexts, as deep as anybody needs; setting another one changes its top.
static _Thread_local context *below[16];
static _Thread_local int depth;
API int cuCtxPushCurrent_v2(context *c) {
    BEGIN();
    if (!c) return INVALID_CONTEXT;
    if (depth == 16) return INVALID_VALUE;
    return below[depth++] = current, current = c, OK;
}
API int cuCtxPopCurrent_v2(context **out) {
    BEGIN();
    if (!current) return INVALID_CONTEXT;
    if (out) *out = current;
    return current = depth ? below[--depth] : NULL, OK;
}
API int cuCtxSynchronize(void) { BEGIN_HERE(); return OK; }

// ---- memory: on the host, but at addresses that no host pointer has

static allocation *holding(CUdeviceptr at, size_t bytes) {
    for (allocation *a = allocations; a; a = a->next)
        if (at >= a->at && at - a->at <= a->size && bytes <= a->size - (at - a->at)) return a;
    return NULL;
}

static size_t free_bytes(int d) {
    double used = devices[d].mig ? 0 : sc_or(devices[d].gpu, "memory_used", 0) + sc_or(devices[d].gpu, "memory_reserved", 0);
    double left = (memory_mib(d) - used) * MIB;
    for (allocation *a = allocations; a; a = a->next)
        if (a->device == d) left -= (double)a->size;
    return left > 0 ? (size_t)left : 0;
}

API int cuMemGetInfo_v2(size_t *available, size_t *total) {
    BEGIN_HERE();
    *available = free_bytes(current->device);
    *total = (size_t)memory_mib(current->device) * MIB;
    return OK;
}

API int cuMemAlloc_v2(CUdeviceptr *out, size_t bytes) {
    static CUdeviceptr next = 0x7000000000000000;  // not a canonical address: using it on the host faults
    BEGIN_HERE();
    if (!bytes) return INVALID_VALUE;
    if (bytes > free_bytes(current->device)) return OUT_OF_MEMORY;
    allocation *a = malloc(sizeof *a);
    *a = (allocation){allocations, next, bytes, current->device, malloc(bytes)};
    if (!a->host) return free(a), OUT_OF_MEMORY;
    if (bytes <= 64 * MIB) memset(a->host, 0xa5, bytes);  // fresh device memory is not zero
    allocations = a;
    next += (bytes + 511) / 512 * 512 + 512;
    return *out = a->at, OK;
}

API int cuMemFree_v2(CUdeviceptr at) {
    BEGIN_HERE();
    for (allocation **a = &allocations; *a; a = &(*a)->next)
        if ((*a)->at == at) {
            allocation *gone = *a;
            *a = gone->next;
            free(gone->host);
            free(gone);
            return OK;
        }
    return INVALID_VALUE;
}

API int cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes) {
    BEGIN_HERE();
    allocation *a = holding(to, bytes);
    if (!a) return INVALID_VALUE;
    memcpy(a->host + (to - a->at), from, bytes);
    return OK;
}

API int cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes) {
    BEGIN_HERE();
    allocation *a = holding(from, bytes);
    if (!a) return INVALID_VALUE;
    memcpy(to, a->host + (from - a->at), bytes);
    if (bytes && sc_or(devices[current->device].gpu, "wrong_result", 0))
        ((unsigned char *)to)[bytes - 1] ^= 0x10;  // one bit, at the end, where a careless test does not look
    return OK;
}

API int cuMemsetD32_v2(CUdeviceptr to, uint value, size_t count) {
    BEGIN_HERE();
    allocation *a = holding(to, count * sizeof value);
    if (!a) return INVALID_VALUE;
    for (size_t i = 0; i < count; i++) memcpy(a->host + (to - a->at) + i * sizeof value, &value, sizeof value);
    return OK;
}

// ---- modules: PTX text is looked at, not compiled

// The newest PTX version that a driver takes, as 82 for 8.2 (PTX ISA, release notes).
static int newest_ptx(int cuda) {
    static const struct { int cuda, ptx; } table[] = {
        {12090, 88}, {12080, 87}, {12070, 86}, {12050, 85}, {12000, 80}, {11000, 70}, {10020, 65}, {10010, 64},
        {10000, 63}, {9020, 62}, {9010, 61}, {9000, 60}, {8000, 50}, {0, 43}};
    if (cuda >= 13000) return 90 + cuda % 1000 / 10;
    for (size_t i = 0;; i++)
        if (cuda >= table[i].cuda) {
            bool by_minor = table[i].ptx == 80 || table[i].ptx == 70;  // 12.0-12.4 and 11.x count along
            return table[i].ptx + (by_minor ? cuda % 1000 / 10 : 0);
        }
}

// As the real driver does unless CUDA_CACHE_DISABLE=1: it leaves a cache of compiled code behind.
static void leave_jit_cache(void) {
#ifndef _WIN32
    const char *disable = getenv("CUDA_CACHE_DISABLE"), *path = getenv("CUDA_CACHE_PATH"), *home = getenv("HOME");
    char folder[4096];
    if ((disable && !strcmp(disable, "1")) || (!path && !home)) return;
    snprintf(folder, sizeof folder, path ? "%s" : "%s/.nv", path ? path : home);
    mkdir(folder, 0777);
    if (!path) strcat(folder, "/ComputeCache"), mkdir(folder, 0777);
    strcat(folder, "/index");
    close(open(folder, O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
#endif
}

// A directive stands first on its line; the same word inside a comment does not count.
static const char *directive(const char *image, const char *word) {
    for (const char *at = image; (at = strstr(at, word)); at++) {
        const char *start = at;
        while (start > image && (start[-1] == ' ' || start[-1] == '\t')) start--;
        if (start == image || start[-1] == '\n') return at;
    }
    return NULL;
}

static int load(module **out, const char *image) {
    const sc_section *g = devices[current->device].gpu;
    const char *off = getenv("CUDA_DISABLE_PTX_JIT");
    int major, minor, target, cc_major, cc_minor;
    if (!image) return INVALID_VALUE;
    const char *version = directive(image, ".version"), *sm = directive(image, ".target");
    if (!strncmp(image, "\x7f" "ELF", 4)) return INVALID_IMAGE;  // no cubin is of this machine
    if (!version || sscanf(version, ".version %d.%d", &major, &minor) != 2 || !sm || sscanf(sm, ".target sm_%d", &target) != 1)
        return INVALID_PTX;
    if (off && !strcmp(off, "1")) return JIT_DISABLED;
    if (major * 10 + minor > newest_ptx((int)sc_or(&sc_machine, "cuda_version", 0))) return UNSUPPORTED_PTX;
    sscanf(sc_text(g, "cc"), "%d.%d", &cc_major, &cc_minor);
    if (target > cc_major * 10 + cc_minor) return NO_BINARY;
    leave_jit_cache();
    *out = malloc(sizeof **out);
    (*out)->ptx = strdup(image);
    return OK;
}
API int cuModuleLoadData(module **out, const void *image) { BEGIN_HERE(); return load(out, image); }
API int cuModuleLoadDataEx(module **out, const void *image, uint count, int *options, void **values) {
    (void)count, (void)options, (void)values;
    BEGIN_HERE();
    return load(out, image);
}

API int cuModuleUnload(module *m) {
    BEGIN_HERE();
    if (!m) return INVALID_HANDLE;
    free(m->ptx);
    free(m);
    return OK;
}

API int cuModuleGetFunction(function **out, module *m, const char *name) {
    BEGIN_HERE();
    if (!m) return INVALID_HANDLE;
    size_t n = strlen(name);
    for (const char *entry = m->ptx; (entry = strstr(entry, ".entry"));) {
        for (entry += 6; isspace((unsigned char)*entry); entry++) {}
        if (strncmp(entry, name, n) || isalnum((unsigned char)entry[n]) || entry[n] == '_') continue;
        *out = calloc(1, sizeof **out);  // a handful per process: never freed
        (*out)->of = m;
        snprintf((*out)->name, sizeof (*out)->name, "%s", name);
        return OK;
    }
    return NOT_FOUND;
}

// Memory of another process: numba looks the function up when it starts, and nothing here calls it.
API int cuIpcOpenMemHandle_v2(CUdeviceptr *out, const void *handle, uint flags) {
    (void)out, (void)handle, (void)flags;
    BEGIN_HERE();
    return NOT_SUPPORTED;
}

// ---- launch: the one kernel that the doctor has

API int cuLaunchKernel(function *f, uint grid_x, uint grid_y, uint grid_z, uint block_x, uint block_y, uint block_z,
                       uint shared, void *stream, void **parameters, void **extra) {
    (void)shared, (void)stream;
    BEGIN_HERE();
    if (!f) return INVALID_HANDLE;
    if (!grid_x || !grid_y || !grid_z || !block_x || !block_y || !block_z) return INVALID_VALUE;
    if ((unsigned long long)block_x * block_y * block_z > 1024) return INVALID_VALUE;
    if (strcmp(f->name, "gpu_doctor_axpb")) sc_die(0, "the fake cannot compute kernel '%s'", f->name);

    struct { CUdeviceptr data; uint mul, add, n; } p;
    if (parameters) {
        memcpy(&p.data, parameters[0], sizeof p.data);
        memcpy(&p.mul, parameters[1], sizeof p.mul);
        memcpy(&p.add, parameters[2], sizeof p.add);
        memcpy(&p.n, parameters[3], sizeof p.n);
    } else {  // packed: CU_LAUNCH_PARAM_BUFFER_POINTER is 1, _SIZE 2, _END 0
        const void *packed = NULL;
        for (; extra && *extra; extra += 2)
            if (*extra == (void *)1) packed = extra[1];
        if (!packed) return INVALID_VALUE;
        memcpy(&p, packed, 20);
    }
    unsigned long long threads = (unsigned long long)grid_x * block_x;
    size_t n = threads < p.n ? (size_t)threads : p.n;  // too few threads leave the rest untouched
    allocation *a = holding(p.data, n * sizeof(uint));
    if (!a) {
        current->broken = ILLEGAL_ADDRESS;  // seen at the next call, as for any asynchronous launch
        return OK;
    }
    for (size_t i = 0; i < n; i++) {
        uint x;
        unsigned char *at = a->host + (p.data - a->at) + i * sizeof x;
        memcpy(&x, at, sizeof x);
        x = x * p.mul + p.add;
        memcpy(at, &x, sizeof x);
    }
    return OK;
}

// ---- cuGetProcAddress: a plain name and a CUDA version give the newest form of that version

static int address(const char *name, void **out, int version, int *status) {
    static const struct { const char *name; int since; const char *symbol; } table[] = {
        {"cuCtxCreate", 12050, "cuCtxCreate_v4"}, {"cuCtxCreate", 11040, "cuCtxCreate_v3"},
        {"cuCtxCreate", 3020, "cuCtxCreate_v2"}, {"cuCtxPushCurrent", 4000, "cuCtxPushCurrent_v2"},
        {"cuCtxPopCurrent", 4000, "cuCtxPopCurrent_v2"}, {"cuIpcOpenMemHandle", 11000, "cuIpcOpenMemHandle_v2"},
        {"cuCtxDestroy", 4000, "cuCtxDestroy_v2"},
        {"cuDeviceTotalMem", 3020, "cuDeviceTotalMem_v2"}, {"cuDeviceGetUuid", 11040, "cuDeviceGetUuid_v2"},
        {"cuDeviceGetUuid", 9020, "cuDeviceGetUuid"}, {"cuDevicePrimaryCtxRelease", 11000, "cuDevicePrimaryCtxRelease_v2"},
        {"cuDevicePrimaryCtxReset", 11000, "cuDevicePrimaryCtxReset_v2"}, {"cuMemAlloc", 3020, "cuMemAlloc_v2"},
        {"cuMemFree", 3020, "cuMemFree_v2"}, {"cuMemGetInfo", 3020, "cuMemGetInfo_v2"},
        {"cuMemcpyHtoD", 3020, "cuMemcpyHtoD_v2"}, {"cuMemcpyDtoH", 3020, "cuMemcpyDtoH_v2"},
        {"cuMemsetD32", 3020, "cuMemsetD32_v2"}, {"cuGetProcAddress", 12000, "cuGetProcAddress_v2"},
        {"cuGetProcAddress", 11030, "cuGetProcAddress"}};
    const char *symbol = strstr(name, "_v") ? NULL : name;  // "cuCtxCreate_v2" is not found by that name
    int why = 1;                                            // symbol not found
    *out = NULL;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (!strcmp(table[i].name, name)) {
            bool fits = version >= table[i].since && table[i].since <= (int)sc_or(&sc_machine, "cuda_version", 0);
            symbol = fits ? table[i].symbol : NULL;
            why = 2;                                        // version not sufficient
            if (fits) break;
        }
    if (symbol) {
#ifdef _WIN32
        HMODULE self = NULL;
        GetModuleHandleExA(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT,
                           (LPCSTR)(void *)address, &self);
        *out = (void *)GetProcAddress(self, symbol);
#else
        Dl_info info;
        dladdr((void *)address, &info);
        void *self = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
        *out = self ? dlsym(self, symbol) : NULL;
#endif
    }
    if (status) *status = *out ? 0 : why;
    return OK;
}

API int cuGetProcAddress(const char *name, void **out, int version, uint64_t flags) {
    (void)flags;
    sc_enter(__func__);
    address(name, out, version, NULL);
    return *out ? OK : NOT_FOUND;
}

API int cuGetProcAddress_v2(const char *name, void **out, int version, uint64_t flags, int *status) {
    (void)flags;
    sc_enter(__func__);
    return address(name, out, version, status);
}
