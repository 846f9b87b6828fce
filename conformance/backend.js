// A `backend serve` for one test, on a free port and a new SQLite file.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const PROGRAM = process.env.BACKEND;

const PASSWORD = 'correct horse';

/** Makes an admin, who may write everything, by the program's own command. */
async function makeAdmin(database) {
    const account = ['--email', 'root@example.com', '--username', 'root', '--role', 'admin'];
    const child = spawn(PROGRAM, ['user', 'create', ...account, '--database', database], {
        stdio: ['pipe', 'inherit', 'inherit'],
    });
    child.stdin.end(`${PASSWORD}\n`);
    const [code] = await once(child, 'exit');
    if (code !== 0) {
        throw new Error(`backend made no admin: it ended with ${code}`);
    }
}

/** Logs in, and gives the bearer token. */
async function logIn(url) {
    const response = await fetch(`${url}/auth/login`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ email: 'root', password: PASSWORD, credential: 'token' }),
    });
    if (!response.ok) {
        throw new Error(`the admin cannot log in: ${response.status}`);
    }
    return (await response.json()).token;
}

/**
 * Starts the program with further arguments. Gives the URL of its api, a bearer token of an admin, and a function that
 * ends it.
 */
export async function startBackend(options = []) {
    if (!PROGRAM) {
        throw new Error('BACKEND must name the program: call `cargo xtask conformance`');
    }
    const folder = await mkdtemp(join(tmpdir(), 'conformance-'));
    const database = `sqlite:${join(folder, 'backend.db')}`;
    await makeAdmin(database);
    const place = ['--listen', '127.0.0.1:0', '--database', database];
    const child = spawn(PROGRAM, ['serve', ...place, ...options], {
        stdio: ['ignore', 'pipe', 'inherit'],
    });
    // The server must not outlive this process, however it ends.
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
            const url = `${address[0]}/api/v1`;
            return { url, token: await logIn(url), stop };
        }
    }
    throw new Error(`backend ended before it listened, with ${await exit}`);
}
