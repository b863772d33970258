/*
 * asan_names.c - names that the C library of Debian 12 has not, and libasan looks for.
 *
 * GCC's libasan finds the functions that it watches by dlsym().  Each name that is in no
 * library costs an error message, in memory of an allocator that touches 1.5 MB when it
 * begins: of 10 ms that an empty program with sanitizers needs to start, 6.  Nothing calls
 * these.
 */
#define NAME(name)                \
	void name(void);          \
	void name(void)           \
	{                         \
		__builtin_trap(); \
	}

NAME(__cxa_throw)
NAME(__isoc99_fprintf)
NAME(__isoc99_printf)
NAME(__isoc99_snprintf)
NAME(__isoc99_sprintf)
NAME(__isoc99_vfprintf)
NAME(__isoc99_vprintf)
NAME(__isoc99_vsnprintf)
NAME(__isoc99_vsprintf)
NAME(__pthread_mutex_lock)
NAME(__pthread_mutex_unlock)
NAME(crypt)
NAME(crypt_r)
NAME(pthread_mutexattr_getrobust_np)
NAME(xdr_bool)
NAME(xdr_bytes)
NAME(xdr_char)
NAME(xdr_destroy)
NAME(xdr_double)
NAME(xdr_enum)
NAME(xdr_float)
NAME(xdr_hyper)
NAME(xdr_int)
NAME(xdr_int16_t)
NAME(xdr_int32_t)
NAME(xdr_int64_t)
NAME(xdr_int8_t)
NAME(xdr_long)
NAME(xdr_longlong_t)
NAME(xdr_quad_t)
NAME(xdr_short)
NAME(xdr_string)
NAME(xdr_u_char)
NAME(xdr_u_hyper)
NAME(xdr_u_int)
NAME(xdr_u_long)
NAME(xdr_u_longlong_t)
NAME(xdr_u_quad_t)
NAME(xdr_u_short)
NAME(xdr_uint16_t)
NAME(xdr_uint32_t)
NAME(xdr_uint64_t)
NAME(xdr_uint8_t)
NAME(xdrmem_create)
NAME(xdrrec_create)
NAME(xdrstdio_create)

/* Called where a report names functions: it knows none of Swift. */
void *swift_demangle(void);
void *swift_demangle(void)
{
	return 0;
}
