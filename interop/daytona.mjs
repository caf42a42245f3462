// What a Daytona SDK does for its users, against the simulator: every answer is checked as the SDK hands it out.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as admin from './admin.mjs';
import { code, searches, sessions } from './sessions.mjs';

// The classes that an SDK makes of answers. Before 0.201 there was none for some statuses.
const CLASSES_OLD = {
    400: 'DaytonaValidationError',
    401: 'DaytonaAuthenticationError',
    403: 'DaytonaAuthorizationError',
    404: 'DaytonaNotFoundError',
    408: 'DaytonaError',
    409: 'DaytonaConflictError',
    410: 'DaytonaError',
    429: 'DaytonaRateLimitError',
    502: 'DaytonaError',
    connection: 'DaytonaConnectionError',
};
const CLASSES_NEW = {
    ...CLASSES_OLD,
    408: 'DaytonaTimeoutError',
    410: 'DaytonaGoneError',
    502: 'DaytonaBadGatewayError',
};

// `resets`: how often a GET is tried whose connection is reset.
export const daytonas = [
    { module: 'daytona-0180', tag: '0180', classes: CLASSES_OLD, resets: 1 },
    { module: 'daytona-0205', tag: '0205', classes: CLASSES_NEW, resets: 1 },
    { module: 'daytona-0216', tag: '0216', classes: CLASSES_NEW, resets: 3 },
];

// `body` must fail with that status, or with `connection` and none, in the class that this SDK has for it.
async function refused(sdk, answer, body) {
    let error;
    try {
        await body();
    } catch (caught) {
        error = caught;
    }
    assert.ok(error, 'expected a refusal');
    const got = `${error.constructor.name}, status ${error.statusCode}: ${error.message}`;
    assert.equal(error.constructor.name, sdk.classes[answer], got);
    assert.equal(error.statusCode, answer === 'connection' ? undefined : answer, got);
    return error;
}

async function listed(client, query) {
    const ids = [];
    for await (const sandbox of client.list(query)) {
        ids.push(sandbox.id);
        assert.ok(ids.length <= 20, 'the list does not end');
    }
    return ids;
}

const sha = (bytes) => createHash('sha256').update(bytes).digest('hex');

function pattern(length) {
    const bytes = Buffer.alloc(length);
    for (let i = 0, x = 1; i < length; i++) bytes[i] = (x = (x * 1103515245 + 12345) & 0x7fffffff) >>> 16;
    return bytes;
}

async function lifecycle(t, sdk, client, box) {
    await t.step('create is started, and has what was asked for', async () => {
        assert.match(box.id, /^[0-9a-f-]{36}$/);
        assert.equal(box.name, `interop-${sdk.tag}-a`);
        assert.equal(box.state, 'started');
        assert.equal(box.labels.suite, `interop-${sdk.tag}`);
        assert.equal(box.labels['code-toolbox-language'], 'python');
        assert.equal(box.autoStopInterval, 30);
        assert.deepEqual([box.cpu, box.memory, box.disk], [1, 1, 3]);
    });
    await t.step('get by id and by name is the same sandbox', async () => {
        const byId = await client.get(box.id);
        const byName = await client.get(box.name);
        assert.equal(byId.id, box.id);
        assert.equal(byName.id, box.id);
        assert.equal(byId.state, 'started');
        assert.deepEqual(byId.env, { GREETING: 'hello' });
        assert.equal(byId.public, false);
        assert.equal(byId.target, 'us');
    });
    await t.step('home directory and work directory', async () => {
        assert.equal(await box.getUserHomeDir(), '/home/daytona');
        assert.equal(await box.getWorkDir(), '/home/daytona');
    });
    await t.step('labels are replaced and read back', async () => {
        const labels = { suite: `interop-${sdk.tag}`, 'quote"d': 'ü & + % =' };
        assert.deepEqual(await box.setLabels(labels), labels);
        assert.deepEqual((await client.get(box.id)).labels, labels);
        assert.deepEqual(await listed(client, { labels: { 'quote"d': 'ü & + % =', suite: `interop-${sdk.tag}` } }), [
            box.id,
        ]);
    });
    await t.step('intervals are set and read back', async () => {
        await box.setAutostopInterval(0);
        await box.setAutoArchiveInterval(120);
        await box.setAutoDeleteInterval(60);
        const fresh = await client.get(box.id);
        assert.equal(fresh.autoStopInterval, 0);
        assert.equal(fresh.autoArchiveInterval, 120);
        assert.equal(fresh.autoDeleteInterval, 60);
        await box.setAutoDeleteInterval(-1);
        await box.refreshData();
        assert.equal(box.autoDeleteInterval, -1);
    });
}

async function lists(t, sdk, client, boxes) {
    const labels = { suite: `interop-${sdk.tag}` };
    const all = boxes.map((box) => box.id).sort();
    await t.step('list by label, in one page', async () => {
        assert.deepEqual((await listed(client, { labels })).sort(), all);
    });
    await t.step('list by label, a page for each', async () => {
        const before = (await admin.journal('kind=exchange&op=daytona.sandbox.list')).length;
        assert.deepEqual((await listed(client, { labels, limit: 1 })).sort(), all);
        const asked = (await admin.journal('kind=exchange&op=daytona.sandbox.list')).length - before;
        assert.ok(asked >= all.length, `${asked} pages were asked for`);
    });
    await t.step('list by state', async () => {
        assert.deepEqual((await listed(client, { labels, states: ['started'] })).sort(), all);
        assert.deepEqual(await listed(client, { labels, states: ['stopped'] }), []);
    });
    await t.step('list of a label that nobody has', async () => {
        assert.deepEqual(await listed(client, { labels: { suite: 'nobody' } }), []);
    });
}

async function commands(t, sdk, box) {
    await t.step('execute: output and exit code', async () => {
        const said = await box.process.executeCommand('echo out; exit 3');
        assert.equal(said.exitCode, 3);
        assert.equal(said.result, 'out\n');
        assert.equal((await box.process.executeCommand('true')).exitCode, 0);
    });
    await t.step('execute: the sandbox\'s environment and its own', async () => {
        const said = await box.process.executeCommand('echo "$GREETING $NAME"', undefined, { NAME: "o'sand $HOME" });
        assert.deepEqual([said.exitCode, said.result], [0, "hello o'sand $HOME\n"]);
    });
    await t.step('execute: working directory', async () => {
        const said = await box.process.executeCommand('pwd', '/tmp');
        assert.deepEqual([said.exitCode, said.result], [0, '/tmp\n']);
    });
    await t.step('execute: a command that takes too long', () =>
        refused(sdk, 408, () => box.process.executeCommand('sleep 30', undefined, undefined, 1)),
    );
}

async function files(t, box) {
    const contents = [
        ['every byte value', Buffer.from(Array.from({ length: 256 }, (_, i) => i))],
        ['nothing', Buffer.alloc(0)],
        ['what looks like the end of a part', Buffer.from('\r\n--boundary--\r\n\r\n--')],
        ['5 MiB', pattern(5 * 1024 * 1024)],
    ];
    for (const [what, bytes] of contents) {
        await t.step(`upload and download: ${what}`, async () => {
            const path = `/tmp/inter op/${bytes.length}.bin`;
            await box.fs.uploadFile(bytes, path);
            const back = await box.fs.downloadFile(path);
            assert.equal(back.length, bytes.length);
            assert.equal(sha(back), sha(bytes));
            assert.equal((await box.fs.getFileDetails(path)).size, bytes.length);
        });
    }
    await t.step('files are the ones that commands see', async () => {
        const said = await box.process.executeCommand('wc -c < "/tmp/inter op/256.bin"');
        assert.deepEqual([said.exitCode, said.result.trim()], [0, '256']);
        const names = (await box.fs.listFiles('/tmp/inter op')).map((file) => file.name).sort();
        assert.deepEqual(names, contents.map(([, bytes]) => `${bytes.length}.bin`).sort());
    });
    await t.step('download of a file that is not there', async () => {
        await assert.rejects(() => box.fs.downloadFile('/tmp/absent'), (error) => {
            assert.match(error.constructor.name, /^Daytona/);
            assert.match(error.message, /not found|no such file/i);
            return true;
        });
    });
}

async function refusals(t, sdk, client, Daytona, [box, , dying]) {
    await t.step('a key that is none', async () => {
        const stranger = new Daytona({ apiKey: 'dtn_nobody_canary' });
        const error = await refused(sdk, 401, () => stranger.get(box.id));
        assert.match(error.message, /Invalid credentials/);
    });
    await t.step('a sandbox that is not there', async () => {
        const error = await refused(sdk, 404, () => client.get('nobody'));
        assert.match(error.message, /nobody/);
    });
    await t.step('a name that is taken', () => refused(sdk, 409, () => client.create({ name: box.name })));
    await t.step('a snapshot that is not there', async () => {
        const error = await refused(sdk, 400, () => client.create({ snapshot: 'nothing-of-the-kind' }));
        assert.match(error.message, /Snapshot nothing-of-the-kind not found/);
    });
    await t.step('too many requests', async () => {
        const rule = {
            op: 'daytona.sandbox.get',
            phase: 'before',
            times: 1,
            effect: { kind: 'status', status: 429, retry_after: '7' },
        };
        const error = await admin.withFault(rule, () => refused(sdk, 429, () => client.get(box.id)));
        assert.equal(String(error.headers['retry-after']), '7');
    });
    await t.step('a connection that is reset', () => {
        const rule = { op: 'daytona.sandbox.get', phase: 'before', effect: { kind: 'reset' } };
        return admin.withFault(rule, () => refused(sdk, 'connection', () => client.get(box.id)), sdk.resets);
    });
    await t.step('a download that ends too early', async () => {
        const rule = {
            op: 'daytona.toolbox.download',
            phase: 'before',
            times: 1,
            effect: { kind: 'cut', at_bytes: 200_000 },
        };
        const path = `/tmp/inter op/${5 * 1024 * 1024}.bin`;
        await admin.withFault(rule, async () => {
            await assert.rejects(() => box.fs.downloadFile(path), (error) => {
                assert.match(error.constructor.name, /Error$/);
                return true;
            });
        });
        assert.equal((await box.fs.downloadFile(path)).length, 5 * 1024 * 1024);
    });
    await t.step('a container whose daemon is dead', async () => {
        const rule = {
            op: 'daytona.toolbox.execute',
            phase: 'before_commit',
            times: 1,
            effect: { kind: 'dead_toolbox' },
        };
        await admin.withFault(rule, () => refused(sdk, 502, () => dying.process.executeCommand('true')));
        await refused(sdk, 502, () => dying.fs.listFiles('/tmp'));
        await dying.refreshData();
        assert.equal(dying.state, 'started');
    });
}

async function endings(t, sdk, client, boxes) {
    const [box, ...others] = boxes;
    await t.step('stop, and the toolbox is not there', async () => {
        await box.stop();
        assert.equal(box.state, 'stopped');
        assert.equal((await client.get(box.id)).state, 'stopped');
        await refused(sdk, 400, () => box.process.executeCommand('true'));
        assert.deepEqual(await listed(client, { labels: { suite: `interop-${sdk.tag}` }, states: ['stopped'] }), [box.id]);
    });
    await t.step('start, and the files are still there', async () => {
        await box.start();
        assert.equal(box.state, 'started');
        const back = await box.fs.downloadFile('/tmp/inter op/256.bin');
        assert.deepEqual([...back], Array.from({ length: 256 }, (_, i) => i));
    });
    await t.step('start of what is started', async () => {
        await box.start();
        assert.equal(box.state, 'started');
    });
    await t.step('delete, and it is not found', async () => {
        await box.delete();
        for (const other of others) await client.delete(other);
        for (const each of [box, ...others]) await gone(client, each.id);
        await refused(sdk, 404, () => client.get(box.id));
        assert.deepEqual(await listed(client, { labels: { suite: `interop-${sdk.tag}` } }), []);
    });
}

// A delete is answered before it is over: until then the sandbox can still be read.
async function gone(client, id) {
    for (let left = 100; left > 0; left--) {
        try {
            const { state } = await client.get(id);
            if (state === 'destroyed') return;
            assert.equal(state, 'destroying');
        } catch (error) {
            if (error.statusCode === 404) return;
            throw error;
        }
        await new Promise((resolve) => setTimeout(resolve, 50));
    }
    assert.fail('the sandbox does not go away');
}

export async function runDaytona(t, sdk) {
    const manifest = new URL(`./node_modules/${sdk.module}/package.json`, import.meta.url);
    const { name, version } = JSON.parse(readFileSync(manifest, 'utf8'));
    t.section(`${name} ${version}`);
    const { Daytona } = await import(sdk.module);
    const client = new Daytona();
    const boxes = [];
    const made = await t.step('create three sandboxes', async () => {
        for (const letter of ['a', 'b', 'c'])
            boxes.push(
                await client.create({
                    name: `interop-${sdk.tag}-${letter}`,
                    language: 'python',
                    labels: { suite: `interop-${sdk.tag}` },
                    envVars: { GREETING: 'hello' },
                    autoStopInterval: 30,
                }),
            );
        return true;
    });
    if (made) {
        await lifecycle(t, sdk, client, boxes[0]);
        await lists(t, sdk, client, boxes);
        await commands(t, sdk, boxes[1]);
        await code(t, boxes[1]);
        await sessions(t, sdk, boxes[1], refused);
        await files(t, boxes[0]);
        await searches(t, sdk, boxes[1], refused);
        await refusals(t, sdk, client, Daytona, boxes);
        await endings(t, sdk, client, boxes);
    }
    await client[Symbol.asyncDispose]?.();
}
