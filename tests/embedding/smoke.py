# Drives the built shared libraries from Python: smoke.py CASE LIBRARIES SANDPORT_SIM LAYOUT. Rows P1, P6, P7, P9.
import contextlib
import ctypes as c
import json
import re
import subprocess
import sys
import threading

import sandport as sp

CASE, LIBRARIES, SANDPORT_SIM, LAYOUT = sys.argv[1:5]
sbx = sp.load(LIBRARIES)


def expect(got, want, what):
    if got != want:
        raise SystemExit("%s: got %r, expected %r" % (what, got, want))


def expect_ok(status, err):
    if status != sp.OK:
        line = c.create_string_buffer(512)
        sbx.error_describe(c.byref(err), line, len(line))
        raise SystemExit(line.value.decode())


def bytes_of(getter, result):
    """Bytes lent by a result: copied, by the length that comes with them."""
    length = c.c_size_t()
    return c.string_at(getter(result, c.byref(length)), length.value)


# ---- worlds: a runtime, and what has to be freed behind it, in that order ----


@contextlib.contextmanager
def runtime_over(env, endpoint, key):
    err, out = sp.Error(), c.c_void_p()
    opt = sp.DaytonaOptions(endpoint=endpoint, api_key=key)
    expect_ok(sbx.daytona_create(c.byref(opt), env, c.byref(out), c.byref(err)), err)
    try:
        yield out
    finally:
        sbx.runtime_free(out)


@contextlib.contextmanager
def simulation():
    opt, sim = sp.SimOptions(seed=7), c.c_void_p()
    expect(sbx.sim_create(c.byref(opt), c.byref(sim), None, 0), sp.OK, "sbx_sim_create")
    try:
        with runtime_over(sbx.sim_env(sim), b"http://daytona.sim/api",
                          b"dtn_sim_canary_0000000000000000000000000000") as runtime:
            yield sim, runtime
        expect(sbx.sim_unsupported(sim), 0, "what the simulation does not know")
    finally:
        sbx.sim_free(sim)


@contextlib.contextmanager
def served():
    """The simulator as a program of its own, and the env of production."""
    child = subprocess.Popen([SANDPORT_SIM, "serve"], stdout=subprocess.PIPE)
    env = c.c_void_p()
    try:
        daytona = json.loads(child.stdout.readline())["providers"]["daytona"]
        expect(sbx.curl_env_create(None, c.byref(env)), sp.OK, "sbx_curl_env_create")
        with runtime_over(env, daytona["api_url"].encode(), daytona["api_key"].encode()) as runtime:
            yield env, runtime
    finally:
        sbx.env_free(env)
        child.terminate()
        child.wait()
        child.stdout.close()


@contextlib.contextmanager
def launched(runtime):
    err, sandbox = sp.Error(), c.c_void_p()
    expect_ok(sbx.runtime_launch(runtime, None, None, c.byref(sandbox), c.byref(err)), err)
    try:
        yield sandbox
        expect_ok(sbx.sandbox_destroy(sandbox, None, c.byref(err)), err)
    finally:
        sbx.sandbox_free(sandbox)


# ---- cases ----


def layouts_are_those_of_the_library():
    """Each structure written down in sandport.py, member by member, against the table that the headers gave."""
    want, name = {}, None
    with open(LAYOUT) as table:
        for line in table:
            head, member = re.match(r"(\w+) (\d+)$", line), re.match(r"    (\w+) (\d+)\+(\d+) ", line)
            if head:
                name = head[1]
                want[name] = (int(head[2]), [])
            elif member:
                want[name][1].append((member[1], int(member[2]), int(member[3])))
    expect(len(sp.STRUCTURES), 6, "structures")
    for structure in sp.STRUCTURES:
        members = [(m[0], getattr(structure, m[0]).offset, getattr(structure, m[0]).size) for m in structure._fields_]
        expect((c.sizeof(structure), members), want[structure._name_], structure._name_)


def a_life_in_the_simulator():
    with simulation() as (sim, runtime):
        expect(sbx.runtime_provider(runtime), b"daytona", "the provider")
        with launched(runtime) as sandbox:
            expect(sbx.sim_ledger_live(sim), 1, "sandboxes")
            err, result = sp.Error(), c.c_void_p()
            expect_ok(sbx.sandbox_exec(sandbox, b"printf 'a\\000\\377'; echo oops >&2; exit 3", None, None,
                                       c.byref(result), c.byref(err)), err)
            expect(sbx.exec_result_exit_code(result), 3, "the exit code")
            expect(bytes_of(sbx.exec_result_stdout, result), b"a\0\xff", "stdout")
            expect(bytes_of(sbx.exec_result_stderr, result), b"oops\n", "stderr")
            sbx.exec_result_free(result)
        expect((sbx.sim_ledger_made(sim), sbx.sim_ledger_live(sim)), (1, 0), "sandboxes made and left")


def output_comes_to_a_python_function():
    got = {sp.STDOUT: b"", sp.STDERR: b""}

    @sp.OUTPUT
    def output(_ctx, stream, data, length):
        got[stream] += c.string_at(data, length)
        return 0

    with simulation() as (_sim, runtime), launched(runtime) as sandbox:
        err, result, opt = sp.Error(), c.c_void_p(), sp.ExecOptions(output=output)
        expect_ok(sbx.sandbox_exec(sandbox, b"echo one; sleep 3; echo two; echo bad >&2", c.byref(opt), None,
                                   c.byref(result), c.byref(err)), err)
        expect(sbx.exec_result_exit_code(result), 0, "the exit code")
        expect(got, {sp.STDOUT: b"one\ntwo\n", sp.STDERR: b"bad\n"}, "what the function was given")
        sbx.exec_result_free(result)


def a_function_that_says_stop_ends_the_command():
    @sp.OUTPUT
    def output(_ctx, _stream, _data, _length):
        return 1

    with simulation() as (_sim, runtime), launched(runtime) as sandbox:
        err, result, opt = sp.Error(), c.c_void_p(), sp.ExecOptions(output=output)
        status = sbx.sandbox_exec(sandbox, b"echo one; sleep 1000", c.byref(opt), None, c.byref(result), c.byref(err))
        expect((status, err.outcome), (sp.CANCELLED, sp.OUTCOME_DONE), "status and outcome")
        expect(sbx.exec_result_killed_confirmed(result), 1, "killed_confirmed")
        sbx.exec_result_free(result)


def output_can_be_pulled():
    with simulation() as (_sim, runtime), launched(runtime) as sandbox:
        err, run, status = sp.Error(), c.c_void_p(), sp.RunStatus()
        expect_ok(sbx.sandbox_submit(sandbox, b"run 1", b"for i in 1 2 3; do echo $i; sleep 2; done; exit 9", None,
                                     None, c.byref(status), c.byref(err)), err)
        expect(status.submitted, 1, "submitted")
        expect_ok(sbx.run_open(sandbox, b"run 1", c.byref(run), c.byref(err)), err)
        piece, length, text = c.create_string_buffer(16), c.c_size_t(1), b""
        while length.value:
            expect_ok(sbx.run_read(run, sp.STDOUT, piece, len(piece), None, c.byref(length), c.byref(err)), err)
            text += piece.raw[:length.value]
        expect(text, b"1\n2\n3\n", "what was read")
        expect_ok(sbx.run_wait(run, None, c.byref(status), c.byref(err)), err)
        expect((status.state, status.exit_code, status.stdout_bytes), (sp.RUN_EXITED, 9, 6), "how it ended")
        sbx.run_free(run)


def errors_are_read_by_their_members():
    with simulation() as (_sim, runtime):
        err, sandbox = sp.Error(), c.c_void_p()
        status = sbx.runtime_attach(runtime, b"no-such-sandbox", None, c.byref(sandbox), c.byref(err))
        expect(status, sp.NOT_FOUND, "status")
        expect(sbx.status_name(status), b"NOT_FOUND", "its name")
        expect((err.status, err.outcome, err.http_status), (sp.NOT_FOUND, sp.OUTCOME_REFUSED, 404), "numbers")
        expect((err.provider, err.operation), (b"daytona", b"attach"), "texts")
        expect(sandbox.value, None, "the result of a failure")
        status = sbx.runtime_attach(runtime, b"a/b", None, c.byref(sandbox), c.byref(err))
        expect((status, err.outcome, err.detail[:3]), (sp.INVALID_ARGUMENT, sp.OUTCOME_NONE, b"id:"), "a bad id")
        old = sp.Error()
        old.size = 16  # a program that knows no such struct is written nothing into
        status = sbx.runtime_attach(runtime, b"x", None, c.byref(sandbox), c.byref(old))
        expect((status, old.status, old.detail), (sp.INVALID_ARGUMENT, 0, b""), "a struct that is too small")


def a_cancel_comes_from_another_thread():
    begun, ended = threading.Event(), {}

    @sp.OUTPUT
    def output(_ctx, _stream, _data, _length):
        begun.set()
        return 0

    with served() as (env, runtime), launched(runtime) as sandbox:
        cancel = sbx.cancel_create(env)
        err, result = sp.Error(), c.c_void_p()
        opt, call = sp.ExecOptions(output=output), sp.Call(cancel=cancel)

        def work():
            ended["status"] = sbx.sandbox_exec(sandbox, b"echo begun; sleep 100000", c.byref(opt), c.byref(call),
                                               c.byref(result), c.byref(err))

        thread = threading.Thread(target=work)
        thread.start()
        begun.wait()  # on this thread, while the other is inside the library
        expect(thread.is_alive(), True, "the command goes on")
        sbx.cancel_fire(cancel)
        thread.join()
        expect((ended["status"], err.outcome), (sp.CANCELLED, sp.OUTCOME_DONE), "status and outcome")
        expect(bytes_of(sbx.exec_result_stdout, result), b"begun\n", "what it wrote until then")
        expect(sbx.exec_result_killed_confirmed(result), 1, "killed_confirmed")
        sbx.exec_result_free(result)
        sbx.cancel_free(cancel)


def a_deadline_ends_a_blocked_call():
    with served() as (env, runtime), launched(runtime) as sandbox:
        err, result, call = sp.Error(), c.c_void_p(), sp.Call()
        sbx.call_init_after(c.byref(call), c.sizeof(call), env, 200)
        status = sbx.sandbox_exec(sandbox, b"sleep 100000", None, c.byref(call), c.byref(result), c.byref(err))
        expect(status, sp.DEADLINE, "status")
        sbx.exec_result_free(result)


globals()[CASE]()
