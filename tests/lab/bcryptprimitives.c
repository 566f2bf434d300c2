/* Wine 8 has no bcryptprimitives.dll, from which Rust's standard library takes its random numbers.
   This one stands in for it: the same bytes from the older function that Wine does have. */
#include <windows.h>
#include <ntsecapi.h> /* RtlGenRandom */

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T length) {
    return RtlGenRandom(data, (ULONG)length);
}
