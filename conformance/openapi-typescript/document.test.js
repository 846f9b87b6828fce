// The OpenAPI documents of an anonymous client and an admin, under the strict rules of Redocly's linter.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createConfig, lintFromString } from '@redocly/openapi-core';

import { startBackend } from '../backend.js';

let backend;

before(async () => {
    backend = await startBackend();
});

after(async () => {
    assert.equal(await backend?.stop(), 0, 'the server stops in good order');
});

for (const [person, headers] of [
    ['an anonymous client', () => ({})],
    ['an admin', () => ({ Authorization: `Bearer ${backend.token}` })],
]) {
    test(`the document of ${person} has no finding of the linter`, async () => {
        const response = await fetch(`${backend.url}/openapi.json`, { headers: headers() });
        assert.equal(response.status, 200);
        const config = await createConfig({ extends: ['recommended-strict'] });
        const problems = await lintFromString({ source: await response.text(), absoluteRef: 'openapi.json', config });
        const shown = problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0].pointer}`);
        assert.deepEqual(shown, []);
    });
}
