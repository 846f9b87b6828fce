// A client whose types are generated from the OpenAPI documents: it compiles, and calls every operation.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import openapiTS, { astToString } from 'openapi-typescript';

import { startBackend } from '../backend.js';

const folder = new URL('./', import.meta.url);
const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');

let backend;
/** The operation ids of both documents. */
const operations = new Set();

before(async () => {
    backend = await startBackend();
    await mkdir(new URL('generated', folder), { recursive: true });
    for (const [name, headers] of [
        ['anonymous', {}],
        ['admin', { Authorization: `Bearer ${backend.token}` }],
    ]) {
        const response = await fetch(`${backend.url}/openapi.json`, { headers });
        const document = await response.json();
        for (const methods of Object.values(document.paths)) {
            for (const operation of Object.values(methods)) {
                if (operation.operationId) {
                    operations.add(operation.operationId);
                }
            }
        }
        const types = astToString(await openapiTS(document, { defaultNonNullable: false }));
        await writeFile(new URL(`generated/${name}.d.ts`, folder), types);
        await writeFile(new URL(`generated/${name}.json`, folder), JSON.stringify(document));
    }
});

after(async () => {
    assert.equal(await backend?.stop(), 0, 'the server stops in good order');
});

test('the client compiles under strict TypeScript', () => {
    const compiled = spawnSync(process.execPath, [compiler, '--project', '.'], { cwd: folder, encoding: 'utf8' });
    assert.equal(compiled.status, 0, compiled.stdout);
});

test('the client calls every operation of the documents', async () => {
    const { callEverything } = await import('./generated/compiled/client.js');
    const called = await callEverything(backend.url, backend.token);
    assert.deepEqual([...operations].filter(id => !called.has(id)), [], 'operations that were not called');
});
