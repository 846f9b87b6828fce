// A `backend serve` of the test's own, on a free port and a new SQLite file.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const PROGRAM = process.env.BACKEND;

/** Starts the program and gives the URL of its api, and a function that ends it. */
export async function startBackend() {
    if (!PROGRAM) {
        throw new Error('BACKEND must name the program: call `cargo xtask conformance`');
    }
    const folder = await mkdtemp(join(tmpdir(), 'conformance-'));
    const place = ['--listen', '127.0.0.1:0', '--database', `sqlite:${join(folder, 'backend.db')}`];
    const child = spawn(PROGRAM, ['serve', ...place, '--dialect', 'simple-rest'], {
        stdio: ['ignore', 'pipe', 'inherit'],
    });
    // However this process ends, the server does not outlive it.
    process.on('exit', () => child.kill('SIGKILL'));
    const exit = once(child, 'exit');

    const stop = async () => {
        child.kill('SIGTERM');
        const [code] = await exit;
        await rm(folder, { recursive: true });
        return code;
    };
    for await (const line of createInterface({ input: child.stdout })) {
        const address = line.match(/http:\/\/[^,]+/);
        if (address) {
            child.stdout.resume();
            return { url: `${address[0]}/api/v1`, stop };
        }
    }
    throw new Error(`backend ended before it listened, with ${await exit}`);
}
