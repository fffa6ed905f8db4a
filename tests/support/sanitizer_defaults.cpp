// SPDX-License-Identifier: BSD-3-Clause
// Linked into every test of a sanitizer build: options and suppressions of the sanitizers, so that a test behaves the
// same however it is started, also by mpirun. ASAN_OPTIONS etc. take precedence. Only foreign code is suppressed, never
// a report that names Halocline's code.

#if defined(__SANITIZE_THREAD__)
#define HC_UNDER_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HC_UNDER_TSAN 1
#endif
#endif

extern "C" {

#ifdef HC_UNDER_TSAN

const char* __tsan_default_options();
const char* __tsan_default_options() { return "halt_on_error=1:second_deadlock_stack=1:exitcode=66"; }

// The count of references of an exception is in libstdc++, which ThreadSanitizer does not see: where the last of several threads that
// share one destroys it, it reports a race with what the others did before they let go.
const char* __tsan_default_suppressions();
const char* __tsan_default_suppressions() { return "race:std::__exception_ptr::exception_ptr::_M_release\n"; }

#else

const char* __asan_default_options();
const char* __asan_default_options() {
  // The last: LeakSanitizer reads where it believes the thread-local variables of libraries to be that were opened meanwhile (UCX's), and
  // crashes.
  return "detect_leaks=1:strict_string_checks=1:detect_stack_use_after_return=1:check_initialization_order=1:"
         "intercept_tls_get_addr=0";
}

// Replaces dlclose() of the C library for all libraries of the program: plugins of hwloc stay loaded until the end, so
// that memory to which they point is not reported as a leak. The alternative is to unwind each allocation through their
// frames, which have no frame pointers (fast_unwind_on_malloc=0 makes a test many times slower; MPI jobs need it, and
// CMake sets it for them).
int dlclose(void* library) noexcept;
int dlclose(void* /*library*/) noexcept { return 0; }

const char* __ubsan_default_options();
const char* __ubsan_default_options() { return "print_stacktrace=1:halt_on_error=1"; }

const char* __lsan_default_suppressions();
const char* __lsan_default_suppressions() {
  // MPI and its libraries keep memory until the process ends.
  return "leak:libmpi\n"
         "leak:libopen-pal\n"
         "leak:libopen-rte\n"
         "leak:libpmix\n"
         "leak:libhwloc\n"
         "leak:libevent\n"
         "leak:libucs\n"
         "leak:libucp\n"
         "leak:libfabric\n"
         "leak:mca_\n";
}

#endif

}  // extern "C"
