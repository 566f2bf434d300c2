// A stand-in for a kernel module of another version, for the real libraries: LD_PRELOAD it, or name it in
// /etc/ld.so.preload. Without a module, nothing on this machine can make the real NVML return 18.
//
// Where a library opens /dev/nvidia*, it gets /dev/null, and the version check (the first ioctl, number 210: two words and
// the library's version) is answered as the module answers a library that is not its own: with GPU_DOCTOR_MODULE_VERSION,
// or 550.163.01, and EINVAL. stat(2) of a node gives the numbers that the libraries look for.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum { VERSION_CHECK = 210, MOST = 256 };
static const char PREFIX[] = "/dev/nvidia";
static bool ours[MOST];

static bool is_node(const char *path) { return path && strncmp(path, PREFIX, sizeof PREFIX - 1) == 0; }

static int open_file(const char *path, int flags, int mode) {
    int fd = syscall(SYS_openat, AT_FDCWD, is_node(path) ? "/dev/null" : path, flags, mode);
    if (fd >= 0 && fd < MOST) ours[fd] = is_node(path);
    return fd;
}

static int mode_of(int flags, va_list more) { return flags & (O_CREAT | O_TMPFILE) ? va_arg(more, int) : 0; }

int open(const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    int mode = mode_of(flags, more);
    va_end(more);
    return open_file(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    int mode = mode_of(flags, more);
    va_end(more);
    return open_file(path, flags, mode);
}

int ioctl(int fd, unsigned long request, ...) {
    va_list more;
    va_start(more, request);
    char *argument = va_arg(more, char *);
    va_end(more);
    if (fd < 0 || fd >= MOST || !ours[fd]) return syscall(SYS_ioctl, fd, request, argument);
    if ((request & 0xff) == VERSION_CHECK) {
        const char *version = getenv("GPU_DOCTOR_MODULE_VERSION");
        memset(argument + 4, 0, 4);
        strncpy(argument + 8, version ? version : "550.163.01", 63);
        errno = EINVAL;
        return -1;
    }
    errno = EIO;
    return -1;
}

static int numbered(int status, const char *path, struct stat *out) {
    if (status == 0 && is_node(path)) {
        const char *rest = path + sizeof PREFIX - 1;
        out->st_mode = S_IFCHR | 0666;
        out->st_rdev = strcmp(rest, "ctl") == 0 ? makedev(195, 255) : makedev(195, atoi(rest));
    }
    return status;
}

int stat(const char *path, struct stat *out) { return numbered(syscall(SYS_newfstatat, AT_FDCWD, path, out, 0), path, out); }
int stat64(const char *path, struct stat64 *out) { return stat(path, (struct stat *)out); }
int __xstat(int version, const char *path, struct stat *out) { (void)version; return stat(path, out); }
int __xstat64(int version, const char *path, struct stat64 *out) { (void)version; return stat(path, (struct stat *)out); }
