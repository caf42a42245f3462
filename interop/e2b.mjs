// What an E2B SDK does for its users, against the simulator: every answer is checked as the SDK hands it out.
import assert from 'node:assert/strict';
import * as admin from './admin.mjs';

export const e2bs = [
    { module: 'e2b-0235', tag: '0235', version: '2.35.0' },
    { module: 'e2b-0245', tag: '0245', version: '2.45.0' },
    { module: 'e2b-0251', tag: '0251', version: '2.51.0' },
];

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function until(what, holds) {
    for (let tries = 100; tries > 0; tries--) {
        if (await holds()) return;
        await sleep(50);
    }
    assert.fail(`never: ${what}`);
}

async function all(paginator) {
    const found = [];
    while (paginator.hasNext) {
        found.push(...(await paginator.nextItems()));
        assert.ok(found.length <= 50, 'the list does not end');
    }
    return found;
}

function pattern(length) {
    const bytes = new Uint8Array(length);
    for (let i = 0, x = 1; i < length; i++) bytes[i] = (x = (x * 1103515245 + 12345) & 0x7fffffff) >>> 16;
    return bytes;
}

async function lifecycle(t, { Sandbox }, box, metadata) {
    await t.step('create has what was asked for', async () => {
        const info = await box.getInfo();
        assert.equal(info.sandboxId, box.sandboxId);
        assert.equal(info.state, 'running');
        assert.deepEqual(info.metadata, metadata);
        assert.ok(info.endAt - info.startedAt >= 299_000 && info.endAt - info.startedAt <= 301_000);
    });
    await t.step('isRunning', async () => assert.equal(await box.isRunning(), true));
    await t.step('connect gives the same sandbox', async () => {
        const again = await Sandbox.connect(box.sandboxId);
        assert.equal(again.sandboxId, box.sandboxId);
        assert.equal((await again.commands.run('echo again')).stdout, 'again\n');
    });
    await t.step('setTimeout moves the end', async () => {
        await box.setTimeout(120_500);
        const info = await box.getInfo();
        assert.ok(Math.abs(info.endAt - Date.now()) > 0);
        await box.setTimeout(300_000);
        assert.ok((await box.getInfo()).endAt > info.endAt);
    });
    await t.step('list by metadata, with pages', async () => {
        const others = await Promise.all([Sandbox.create({ metadata }), Sandbox.create({ metadata: { user: 'other' } })]);
        const found = await all(Sandbox.list({ query: { metadata, state: ['running', 'paused'] }, limit: 1 }));
        assert.deepEqual(found.map((one) => one.sandboxId).sort(), [box.sandboxId, others[0].sandboxId].sort());
        const everything = await all(Sandbox.list({ limit: 2 }));
        assert.equal(everything.length, 3);
        for (const other of others) assert.equal(await other.kill(), true);
        assert.equal(await others[0].kill(), false);
    });
    await t.step('no such template', async () => {
        await assert.rejects(Sandbox.create('no-such-template'), /not found/);
    });
    await t.step('a wrong key', async () => {
        await assert.rejects(
            Sandbox.create({ apiKey: 'e2b_0123456789012345678901234567890123456789' }),
            (error) => error.constructor.name === 'AuthenticationError'
        );
    });
}

async function commands(t, box, CommandExitError) {
    await t.step('run gives both streams and the code', async () => {
        const result = await box.commands.run('echo hello; echo wrong >&2');
        assert.deepEqual([result.stdout, result.stderr, result.exitCode], ['hello\n', 'wrong\n', 0]);
    });
    await t.step('run that fails', async () => {
        await assert.rejects(box.commands.run('echo before; exit 3'), (error) => {
            assert.ok(error instanceof CommandExitError);
            assert.deepEqual([error.exitCode, error.stdout], [3, 'before\n']);
            return true;
        });
    });
    await t.step('callbacks get what comes', async () => {
        const out = [];
        await box.commands.run('echo one; sleep 0.2; echo two', { onStdout: (data) => out.push(data) });
        assert.equal(out.join(''), 'one\ntwo\n');
        assert.ok(out.length >= 2);
    });
    await t.step('cwd and environment', async () => {
        const result = await box.commands.run('pwd; echo "$A $FOO"', { cwd: '/tmp', envs: { A: 'it is' } });
        assert.equal(result.stdout, '/tmp\nit is bar\n');
    });
    await t.step('background, list, connect, kill', async () => {
        const handle = await box.commands.run('sleep 100', { background: true, timeoutMs: 0 });
        const listed = (await box.commands.list()).find((one) => one.pid === handle.pid);
        assert.deepEqual([listed.cmd, listed.args.slice(-1)[0]], ['/bin/bash', 'sleep 100']);
        const other = await box.commands.connect(handle.pid);
        assert.equal(other.pid, handle.pid);
        assert.equal(await handle.kill(), true);
        await assert.rejects(other.wait(), (error) => error instanceof CommandExitError);
        assert.equal(await box.commands.kill(handle.pid), false);
        await until('it is off the list', async () => !(await box.commands.list()).some((one) => one.pid === handle.pid));
    });
    await t.step('standard input', async () => {
        let seen = '';
        const handle = await box.commands.run('cat', {
            background: true,
            stdin: true,
            onStdout: (data) => (seen += data),
        });
        await box.commands.sendStdin(handle.pid, 'over\n');
        await until('it comes back', () => seen === 'over\n');
        if (box.commands.closeStdin) {
            await box.commands.closeStdin(handle.pid);
            assert.equal((await handle.wait()).exitCode, 0);
        } else {
            await handle.kill();
        }
    });
    await t.step('a timeout ends it', async () => {
        await assert.rejects(
            box.commands.run('sleep 20', { timeoutMs: 700 }),
            (error) => error.constructor.name === 'TimeoutError'
        );
    });
    await t.step('disconnect leaves it running', async () => {
        const handle = await box.commands.run('sleep 1; echo done >left', { background: true });
        await handle.disconnect();
        await until('it is done', () => box.files.exists('left'));
    });
    await t.step('much output', async () => {
        const result = await box.commands.run("head -c 400000 /dev/zero | tr '\\0' y");
        assert.equal(result.stdout.length, 400000);
    });
}

async function files(t, box) {
    const bytes = pattern(200_000);
    await t.step('write and read text', async () => {
        const written = await box.files.write('/home/user/a.txt', 'grüße');
        assert.deepEqual([written.name, written.path, written.type], ['a.txt', '/home/user/a.txt', 'file']);
        assert.equal(await box.files.read('a.txt'), 'grüße');
    });
    await t.step('write and read bytes, blob, stream', async () => {
        await box.files.write('bytes', bytes.buffer);
        assert.deepEqual(await box.files.read('bytes', { format: 'bytes' }), bytes);
        await box.files.write('blob', new Blob([bytes]));
        const parts = [];
        for await (const part of await box.files.read('blob', { format: 'stream' })) parts.push(part);
        assert.deepEqual(new Uint8Array(Buffer.concat(parts)), bytes);
        await box.files.write('stream', new Blob([bytes]).stream());
        const blob = await box.files.read('stream', { format: 'blob' });
        assert.deepEqual(new Uint8Array(await blob.arrayBuffer()), bytes);
    });
    await t.step('write many', async () => {
        const written = await box.files.write([
            { path: 'many/1.txt', data: 'one' },
            { path: '/tmp/2.txt', data: '' },
        ]);
        assert.deepEqual(written.map((one) => one.path), ['/home/user/many/1.txt', '/tmp/2.txt']);
        assert.equal(await box.files.read('/tmp/2.txt'), '');
    });
    await t.step('list with depth', async () => {
        const names = (await box.files.list('/home/user', { depth: 2 })).map((one) => one.path);
        assert.ok(names.includes('/home/user/many') && names.includes('/home/user/many/1.txt'));
        const flat = await box.files.list('/home/user');
        assert.ok(!flat.some((one) => one.path === '/home/user/many/1.txt'));
        const file = flat.find((one) => one.name === 'bytes');
        assert.deepEqual([file.type, file.size, file.permissions, file.owner], ['file', 200_000, '-rw-r--r--', 'user']);
    });
    await t.step('makeDir, exists, rename, getInfo, remove', async () => {
        assert.equal(await box.files.makeDir('d/e'), true);
        assert.equal(await box.files.makeDir('d/e'), false);
        assert.equal(await box.files.exists('d/e'), true);
        const moved = await box.files.rename('a.txt', 'd/b.txt');
        assert.equal(moved.path, '/home/user/d/b.txt');
        const info = await box.files.getInfo('d/b.txt');
        assert.deepEqual([info.name, info.type, info.size], ['b.txt', 'file', 7]);
        assert.ok(info.modifiedTime instanceof Date);
        await box.files.remove('d');
        assert.equal(await box.files.exists('d'), false);
    });
    await t.step('what is not there', async () => {
        await assert.rejects(box.files.read('nope'), (error) => /NotFound/.test(error.constructor.name));
        await assert.rejects(box.files.getInfo('nope'), (error) => /NotFound/.test(error.constructor.name));
    });
    await t.step('watchDir', async () => {
        const seen = [];
        await box.files.makeDir('watched');
        const watch = await box.files.watchDir('watched', (event) => seen.push(`${event.type} ${event.name}`));
        await box.files.write('watched/new', 'x');
        await until('it is told', () => seen.includes('create new') && seen.includes('write new'));
        await watch.stop();
    });
}

async function pauses(t, { Sandbox }, box) {
    await t.step('pause, connect, and what has stayed', async () => {
        const handle = await box.commands.run('sleep 300', { background: true, timeoutMs: 0 });
        await handle.disconnect();
        const paused = await box.pause();
        assert.ok(paused === true || typeof paused === 'string');
        await until('it is paused', async () => (await box.getInfo()).state === 'paused');
        await until('nobody is at home', async () => (await box.isRunning().catch(() => true)) === false);
        assert.ok([false, undefined].includes(await box.pause().catch(() => undefined)));
        const back = await Sandbox.connect(box.sandboxId);
        assert.equal(await back.isRunning(), true);
        assert.ok((await back.commands.list()).some((one) => one.pid === handle.pid));
        assert.equal(await back.files.read('many/1.txt'), 'one');
        assert.equal(await back.kill(), true);
        assert.equal(await back.isRunning(), false);
        assert.equal(await Sandbox.kill(box.sandboxId), false);
    });
    await t.step('connect to one that is gone', async () => {
        await assert.rejects(Sandbox.connect(box.sandboxId), (error) => /NotFound/.test(error.constructor.name));
    });
}

async function faults(t, { Sandbox }) {
    await t.step('no slot is left', async () => {
        const rule = { op: 'e2b.sandbox.create', phase: 'before', times: 1, effect: { kind: 'concurrency' } };
        await admin.withFault(rule, () =>
            assert.rejects(
                Sandbox.create(),
                (error) => error.constructor.name === 'RateLimitError' && /concurrent/.test(error.message)
            )
        );
    });
}

export async function runE2b(t, sdk) {
    t.section(`e2b ${sdk.version}`);
    const module = await import(sdk.module);
    const metadata = { user: 'a b', 'k&': 'v=1', percent: '50%', umlaut: 'ü' };
    const box = await t.step('create', () => module.Sandbox.create({ metadata, envs: { FOO: 'bar' } }));
    if (!box) return;
    await lifecycle(t, module, box, metadata);
    await commands(t, box, module.CommandExitError);
    await files(t, box);
    await pauses(t, module, box);
    await faults(t, module);
}
