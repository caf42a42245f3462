# The part of sandport's C interface that its smoke test drives, by ctypes alone: what another language has to write
# down. Each structure is held against tests/arch/layout.txt by smoke.py.
import ctypes as c

OK, DEADLINE, CANCELLED, NOT_FOUND, INVALID_ARGUMENT = 0, 60, 61, 30, 10
OUTCOME_NONE, OUTCOME_REFUSED, OUTCOME_DONE = 0, 2, 4
STDOUT, STDERR = 1, 2
RUN_EXITED = 2

OUTPUT = c.CFUNCTYPE(c.c_int, c.c_void_p, c.c_int32, c.c_void_p, c.c_size_t)
DEBUG = c.CFUNCTYPE(None, c.c_void_p, c.c_char_p, c.c_int32, c.c_void_p, c.c_size_t)


class Sized(c.Structure):
    """An open struct: it begins with its size as this program knows it."""

    def __init__(self, **fields):
        super().__init__(size=c.sizeof(type(self)), **fields)


class Call(Sized):
    _name_ = "sbx_call"
    _fields_ = [("size", c.c_size_t), ("deadline_ms", c.c_int64), ("cancel", c.c_void_p), ("cleanup_ms", c.c_int64)]


class Error(Sized):
    _name_ = "sbx_error"
    _fields_ = [("size", c.c_size_t), ("status", c.c_int32), ("outcome", c.c_int32), ("cleanup", c.c_int32),
                ("http_status", c.c_int32), ("retry_after_ms", c.c_int64), ("provider", c.c_char * 24),
                ("operation", c.c_char * 24), ("sandbox_id", c.c_char * 128), ("acquisition", c.c_char * 33),
                ("detail", c.c_char * 168), ("cause", c.c_int32)]


class ExecOptions(Sized):
    _name_ = "sbx_exec_options"
    _fields_ = [("size", c.c_size_t), ("cwd", c.c_char_p), ("env", c.c_void_p), ("env_count", c.c_size_t),
                ("lifetime_ms", c.c_int64), ("output_bytes_max", c.c_int64), ("mode", c.c_int32), ("output", OUTPUT),
                ("output_ctx", c.c_void_p)]


class RunStatus(Sized):
    _name_ = "sbx_run_status"
    _fields_ = [("size", c.c_size_t), ("state", c.c_int32), ("exit_code", c.c_int32), ("submitted", c.c_int32),
                ("timed_out", c.c_int32), ("kill_asked", c.c_int32), ("killed_confirmed", c.c_int32),
                ("stdout_bytes", c.c_uint64), ("stderr_bytes", c.c_uint64), ("extended", c.c_int32)]


class DaytonaOptions(Sized):
    _name_ = "sbx_daytona_options"
    _fields_ = [("size", c.c_size_t), ("endpoint", c.c_char_p), ("api_key", c.c_char_p),
                ("organization_id", c.c_char_p), ("snapshot", c.c_char_p), ("target", c.c_char_p),
                ("recreate_on_failed_start", c.c_int32), ("probe_window_ms", c.c_int64),
                ("create_horizon_ms", c.c_int64), ("debug", DEBUG), ("debug_ctx", c.c_void_p)]


class SimOptions(Sized):
    _name_ = "sbx_sim_options"
    _fields_ = [("size", c.c_size_t), ("seed", c.c_uint64), ("scenario", c.c_char_p), ("scenario_len", c.c_size_t)]


STRUCTURES = [Call, Error, ExecOptions, RunStatus, DaytonaOptions, SimOptions]

# What each function answers and takes. A handle is a void pointer; `&` is where a result is put.
_P, _S, _I, _N = c.c_void_p, c.c_char_p, c.c_int32, c.c_size_t
_FUNCTIONS = {
    "core": {
        "sbx_status_name": (_S, [_I]),
        "sbx_error_describe": (_N, [_P, _P, _N]),
        "sbx_env_free": (None, [_P]),
        "sbx_cancel_create": (_P, [_P]),
        "sbx_cancel_fire": (None, [_P]),
        "sbx_cancel_free": (None, [_P]),
        "sbx_call_init_after": (None, [_P, _N, _P, c.c_int64]),
        "sbx_runtime_provider": (_S, [_P]),
        "sbx_runtime_launch": (_I, [_P, _P, _P, _P, _P]),
        "sbx_runtime_attach": (_I, [_P, _S, _P, _P, _P]),
        "sbx_runtime_free": (None, [_P]),
        "sbx_sandbox_id": (None, [_P, _P]),
        "sbx_sandbox_exec": (_I, [_P, _S, _P, _P, _P, _P]),
        "sbx_sandbox_submit": (_I, [_P, _S, _S, _P, _P, _P, _P]),
        "sbx_sandbox_destroy": (_I, [_P, _P, _P]),
        "sbx_sandbox_free": (None, [_P]),
        "sbx_exec_result_exit_code": (_I, [_P]),
        "sbx_exec_result_stdout": (_P, [_P, _P]),
        "sbx_exec_result_stderr": (_P, [_P, _P]),
        "sbx_exec_result_killed_confirmed": (c.c_int, [_P]),
        "sbx_exec_result_free": (None, [_P]),
        "sbx_run_open": (_I, [_P, _S, _P, _P]),
        "sbx_run_read": (_I, [_P, _I, _P, _N, _P, _P, _P]),
        "sbx_run_wait": (_I, [_P, _P, _P, _P]),
        "sbx_run_free": (None, [_P]),
    },
    "curl": {"sbx_curl_env_create": (_I, [_P, _P])},
    "daytona": {"sbx_daytona_create": (_I, [_P, _P, _P, _P])},
    "sim": {
        "sbx_sim_create": (_I, [_P, _P, _P, _N]),
        "sbx_sim_env": (_P, [_P]),
        "sbx_sim_free": (None, [_P]),
        "sbx_sim_ledger_live": (c.c_int64, [_P]),
        "sbx_sim_ledger_made": (c.c_int64, [_P]),
        "sbx_sim_unsupported": (c.c_int64, [_P]),
    },
}


def load(folder):
    """The functions of all libraries, as attributes. While one runs, Python's other threads go on."""

    class Functions:
        pass

    functions = Functions()
    for part, declared in _FUNCTIONS.items():
        library = c.CDLL("%s/libsandport-%s.so" % (folder, part), mode=c.RTLD_GLOBAL)
        for name, (answer, takes) in declared.items():
            function = getattr(library, name)
            function.restype = answer
            function.argtypes = takes
            setattr(functions, name[len("sbx_"):], function)
    return functions
