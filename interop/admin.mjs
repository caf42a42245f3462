// The simulator's admin API.
const base = process.env.SANDPORT_SIM_ADMIN;

async function ask(method, path, body) {
    const answer = await fetch(base + path, { method, body: body === undefined ? undefined : JSON.stringify(body) });
    const value = await answer.json();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${value.error}`);
    return value;
}

export const health = () => ask('GET', '/health');
export const ledger = () => ask('GET', '/ledger');
export const journal = (query) => ask('GET', `/journal?${query}`).then((value) => value.lines);

// While `body` runs the rule is in force; it must have fired, `hits` times if that is given.
export async function withFault(rule, body, hits) {
    const { rule: number } = await ask('POST', '/faults', rule);
    try {
        const result = await body();
        const { faults } = await ask('GET', '/faults');
        const fired = faults.find((fault) => fault.rule === number)?.hits;
        if (hits === undefined ? !(fired > 0) : fired !== hits)
            throw new Error(`the fault on ${rule.op} fired ${fired} times, expected ${hits ?? 'at least 1'}`);
        return result;
    } finally {
        await ask('DELETE', `/faults/${number}`);
    }
}
