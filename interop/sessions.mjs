// Sessions, code and the searches of files, as an SDK hands them out.
import assert from 'node:assert/strict';
import * as admin from './admin.mjs';

// A command that is over has an exit code: asked for until it has.
async function exitCode(box, session, command) {
    for (let left = 200; left > 0; left--) {
        const { exitCode: code } = await box.process.getSessionCommand(session, command);
        if (code !== undefined && code !== null) return code;
        await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error('the command gets no exit code');
}

async function followed(box, session, command) {
    const heard = { stdout: '', stderr: '' };
    await box.process.getSessionCommandLogs(
        session,
        command,
        (chunk) => (heard.stdout += chunk),
        (chunk) => (heard.stderr += chunk),
    );
    return heard;
}

// With --exec host the programs are real, and none is played.
async function realCode(t, box) {
    await t.step('code: output and exit code of real Python', async () => {
        const said = await box.process.codeRun('print(6*7)');
        assert.deepEqual([said.exitCode, said.result], [0, '42\n']);
        const code = 'import os, sys; print(os.environ["A"], sys.argv[1:]); raise SystemExit(3)';
        const failed = await box.process.codeRun(code, { argv: ['a'], env: { A: 'b' } });
        assert.deepEqual([failed.exitCode, failed.result], [3, "b ['a']\n"]);
    });
    await t.step('code: a command line of real programs', async () => {
        const said = await box.process.executeCommand("python3 -c 'print(2 ** 100)' && git --version | cut -c1-11", '/tmp');
        assert.deepEqual([said.exitCode, said.result], [0, '1267650600228229401496703205376\ngit version\n']);
    });
}

export async function code(t, box) {
    if ((await admin.health()).exec === 'host') return realCode(t, box);
    await t.step('code: output and exit code of a program that is played', async () => {
        const said = await box.process.codeRun('print(42)');
        assert.deepEqual([said.exitCode, said.result], [0, '42\n']);
        const failed = await box.process.codeRun('raise SystemExit(3)', { argv: ['a'], env: { A: 'b' } });
        assert.deepEqual([failed.exitCode, failed.result], [3, 'no\n']);
    });
    await t.step('code: a command line that is played', async () => {
        const said = await box.process.executeCommand('npm install --silent && cat node_modules/a/index.js', '/tmp');
        assert.deepEqual([said.exitCode, said.result], [0, 'added 1 package\nexports.a = 1\n']);
    });
}

export async function sessions(t, sdk, box, refused) {
    const p = box.process;
    const run = (command, more) => p.executeSessionCommand('sess-1', { command, ...more });
    await t.step('session: create, and the name is taken', async () => {
        await p.createSession('sess-1');
        await refused(sdk, 409, () => p.createSession('sess-1'));
        await refused(sdk, 400, () => p.createSession('entrypoint'));
    });
    await t.step('session: the shell keeps what commands change', async () => {
        await run('cd /tmp; export NAME="a b"; f() { echo "f $1"; }');
        const said = await run('pwd; f "$NAME"; echo oops >&2; (exit 7)', { runAsync: false });
        assert.equal(said.exitCode, 7);
        assert.equal(said.stdout, '/tmp\nf a b\n');
        assert.equal(said.stderr, 'oops\n');
        assert.match(said.cmdId, /^[0-9a-f-]{36}$/);
        const logs = await p.getSessionCommandLogs('sess-1', said.cmdId);
        assert.deepEqual([logs.stdout, logs.stderr], ['/tmp\nf a b\n', 'oops\n']);
    });
    await t.step('session: a command in the background, followed to its end', async () => {
        const { cmdId } = await run('echo one; sleep 0.3; echo ünï >&2; sleep 0.3; printf last; (exit 5)', {
            runAsync: true,
            suppressInputEcho: true,
        });
        const { exitCode: early } = await p.getSessionCommand('sess-1', cmdId);
        assert.ok(early === undefined || early === null, `${early}`);
        assert.deepEqual(await followed(box, 'sess-1', cmdId), { stdout: 'one\nlast\n', stderr: 'ünï\n' });
        assert.equal(await exitCode(box, 'sess-1', cmdId), 5);
    });
    // A frame that ends in a marker or just behind one is misread by every one of these SDKs: not with five bytes each.
    await t.step('session: frames that split characters', async () => {
        const { cmdId } = await run('echo "日本語"; echo é >&2');
        const rule = {
            op: 'daytona.toolbox.session.follow',
            phase: 'before',
            times: 1,
            effect: { kind: 'split', at_bytes: 5 },
        };
        const heard = await admin.withFault(rule, () => followed(box, 'sess-1', cmdId));
        assert.deepEqual(heard, { stdout: '日本語\n', stderr: 'é\n' });
    });
    await t.step('session: input', async () => {
        const { cmdId } = await run('read a; read b; echo "got $a $b"', { runAsync: true, suppressInputEcho: true });
        await p.sendSessionCommandInput('sess-1', cmdId, 'one');
        await p.sendSessionCommandInput('sess-1', cmdId, 'two\n');
        assert.equal((await followed(box, 'sess-1', cmdId)).stdout, 'got one two\n');
        assert.equal(await exitCode(box, 'sess-1', cmdId), 0);
        await refused(sdk, 410, () => p.sendSessionCommandInput('sess-1', cmdId, 'late'));
    });
    await t.step('session: listed, read, and the entrypoint\'s', async () => {
        const all = await p.listSessions();
        assert.deepEqual(all.map((session) => session.sessionId), ['sess-1']);
        const { commands } = await p.getSession('sess-1');
        assert.ok(commands.length >= 4);
        assert.ok(commands.every((command) => command.exitCode !== undefined));
        assert.equal((await p.getEntrypointSession()).sessionId, 'entrypoint');
        assert.equal((await p.getEntrypointLogs()).stdout, '');
    });
    await t.step('session: exit ends the shell, and the code is lost', async () => {
        const { cmdId } = await run('exit 3', { runAsync: true });
        await new Promise((resolve) => setTimeout(resolve, 200));
        const { exitCode: lost } = await p.getSessionCommand('sess-1', cmdId);
        assert.ok(lost === undefined || lost === null);
        await assert.rejects(() => run('true'), /broken pipe/);
    });
    await t.step('session: delete, and it is not found', async () => {
        await p.deleteSession('sess-1');
        await refused(sdk, 404, () => p.getSession('sess-1'));
        assert.deepEqual(await p.listSessions(), []);
    });
}

export async function searches(t, sdk, box, refused) {
    const put = (path, text) => box.fs.uploadFile(Buffer.from(text), path);
    await t.step('files: a folder, with its mode', async () => {
        await box.fs.createFolder('/tmp/x y', '750');
        const folder = await box.fs.getFileDetails('/tmp/x y');
        assert.deepEqual([folder.isDir, folder.permissions], [true, '0750']);
        await put('/tmp/x y/a.ts', 'let a\n// TODO one\n');
        await put('/tmp/x y/sub/b.js', 'TODO\n');
    });
    await t.step('files: found by text, and by name', async () => {
        assert.deepEqual(await box.fs.findFiles('/tmp/x y', 'TODO'), [
            { file: '/tmp/x y/a.ts', line: 2, content: '// TODO one' },
            { file: '/tmp/x y/sub/b.js', line: 1, content: 'TODO' },
        ]);
        assert.deepEqual((await box.fs.searchFiles('/tmp/x y', '*.ts')).files, ['/tmp/x y/a.ts']);
    });
    await t.step('files: texts are replaced', async () => {
        const done = await box.fs.replaceInFiles(['/tmp/x y/a.ts', '/tmp/none'], 'TODO', 'DONE');
        assert.deepEqual(done.map(({ file, success }) => [file, success]), [
            ['/tmp/x y/a.ts', true],
            ['/tmp/none', false],
        ]);
        assert.equal((await box.fs.downloadFile('/tmp/x y/a.ts')).toString(), 'let a\n// DONE one\n');
    });
    await t.step('files: moved, and given another mode', async () => {
        await box.fs.moveFiles('/tmp/x y/a.ts', '/tmp/x y/c.ts');
        await box.fs.setFilePermissions('/tmp/x y/c.ts', { mode: '600', owner: 'daytona', group: 'daytona' });
        assert.equal((await box.fs.getFileDetails('/tmp/x y/c.ts')).permissions, '0600');
        await refused(sdk, 404, () => box.fs.moveFiles('/tmp/x y/a.ts', '/tmp/d'));
        await refused(sdk, 403, () => box.fs.setFilePermissions('/etc/passwd', { mode: '777' }));
    });
    await t.step('files: deleted, folders only when told', async () => {
        await box.fs.deleteFile('/tmp/x y/c.ts');
        await refused(sdk, 404, () => box.fs.getFileDetails('/tmp/x y/c.ts'));
        await refused(sdk, 400, () => box.fs.deleteFile('/tmp/x y'));
        await box.fs.deleteFile('/tmp/x y', true);
        assert.deepEqual((await box.fs.listFiles('/tmp')).filter((file) => file.name === 'x y'), []);
    });
}
