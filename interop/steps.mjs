// Steps: one line each, with a deadline, counted.
const DEADLINE_MS = 60_000;

export class Steps {
    passed = 0;
    failed = 0;
    #section = '';

    section(name) {
        this.#section = name;
    }

    // Runs `body`; a step that fails does not end the section. Gives what `body` gave, undefined if it failed.
    async step(name, body) {
        let timer;
        const deadline = new Promise((_, reject) => {
            timer = setTimeout(() => reject(new Error(`not over after ${DEADLINE_MS / 1000} s`)), DEADLINE_MS);
        });
        try {
            const result = await Promise.race([body(), deadline]);
            this.passed++;
            console.log(`ok      ${this.#section}: ${name}`);
            return result;
        } catch (error) {
            this.failed++;
            console.log(`NOT OK  ${this.#section}: ${name}: ${describe(error)}`);
            return undefined;
        } finally {
            clearTimeout(timer);
        }
    }
}

function describe(error) {
    const status = error?.statusCode === undefined ? '' : ` (status ${error.statusCode})`;
    return `${error?.constructor?.name}${status}: ${error?.message}`.replace(/\s+/g, ' ').slice(0, 600);
}
