// Official SDKs as published, against the simulator:  sandport-sim run --scenario interop/scenario.json -- node interop/run.mjs
// With arguments only the SDKs whose tag is given, as in `node interop/run.mjs 0180`.
import assert from 'node:assert/strict';
import * as admin from './admin.mjs';
import { daytonas, runDaytona } from './daytona.mjs';
import { e2bs, runE2b } from './e2b.mjs';
import { Steps } from './steps.mjs';

if (!process.env.SANDPORT_SIM_ADMIN || !process.env.DAYTONA_API_URL || !process.env.E2B_API_URL) {
    console.error('usage: sandport-sim run --scenario interop/scenario.json -- node interop/run.mjs [TAG...]');
    process.exit(64);
}

const wanted = process.argv.slice(2);
const chosen = daytonas.filter((sdk) => wanted.length === 0 || wanted.includes(sdk.tag));
const steps = new Steps();
const chosenE2b = e2bs.filter((sdk) => wanted.length === 0 || wanted.includes(sdk.tag));
for (const sdk of chosen) await runDaytona(steps, sdk);
for (const sdk of chosenE2b) await runE2b(steps, sdk);

steps.section('at the end');
await steps.step('nothing is left behind', async () => {
    let left = await admin.ledger();
    for (let tries = 100; left.live > 0 && tries > 0; tries--) {
        await new Promise((resolve) => setTimeout(resolve, 50));
        left = await admin.ledger();
    }
    assert.equal(left.live, 0);
    assert.equal(left.made, 3 * chosen.length + 3 * chosenE2b.length);
});
await steps.step('nothing was used that is not simulated', async () => {
    assert.deepEqual(await admin.journal('kind=unsupported'), []);
});

console.log(`${steps.passed} passed, ${steps.failed} failed`);
process.exit(steps.failed || chosen.length + chosenE2b.length === 0 ? 1 : 0);
