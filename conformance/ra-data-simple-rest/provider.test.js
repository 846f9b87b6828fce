// The requests of react-admin's data provider `ra-data-simple-rest`, sent by the provider's own code.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { fetchUtils } from 'ra-core';
import simpleRestProvider from 'ra-data-simple-rest';

import { startBackend } from '../backend.js';

let backend;
/** As it comes, but for the bearer token, by the hook that it has for this. */
let plain;
/** Which asks for what it deleted, too: its `deleteMany` reads the bodies of the answers, and a 204 has none. */
let provider;

const known = (url, options = {}) =>
    fetchUtils.fetchJson(url, { ...options, user: { authenticated: true, token: `Bearer ${backend.token}` } });

const showingDeleted = (url, options = {}) => {
    const headers = new Headers(options.headers);
    if (options.method === 'DELETE') {
        headers.set('Prefer', 'return=representation');
    }
    return known(url, { ...options, headers });
};

const ids = ({ data }) => data.map(record => record.id);
const byId = { field: 'id', order: 'ASC' };
const first = perPage => ({ page: 1, perPage });

before(async () => {
    backend = await startBackend(['--query-syntax', 'simple-rest']);
    plain = simpleRestProvider(backend.url, known);
    provider = simpleRestProvider(backend.url, showingDeleted);
    for (const name of ['Rust', 'Databases']) {
        await provider.create('categories', { data: { name } });
    }
    for (let number = 1; number <= 12; number += 1) {
        const data = {
            title: `Article ${String(number).padStart(2, '0')}`,
            body: number % 2 ? 'about borrowing' : 'about joins',
            rating: number <= 9 ? number / 2 : null,
            published: number > 4,
            categoryId: number % 3 ? 1 : 2,
        };
        await provider.create('articles', { data });
    }
});

after(async () => {
    assert.equal(await backend?.stop(), 0, 'the server stops in good order');
});

test('getList pages, sorts and counts', async () => {
    const params = { pagination: { page: 2, perPage: 5 }, sort: { field: 'title', order: 'DESC' }, filter: {} };
    const second = await provider.getList('articles', params);
    assert.deepEqual(ids(second), [7, 6, 5, 4, 3]);
    assert.equal(second.total, 12);
    assert.equal(second.data[0].title, 'Article 07');
    const last = await provider.getList('articles', { ...params, pagination: { page: 3, perPage: 5 } });
    assert.deepEqual([ids(last), last.total], [[2, 1], 12]);
    const beyond = await provider.getList('articles', { ...params, pagination: { page: 9, perPage: 5 } });
    assert.deepEqual([ids(beyond), beyond.total], [[], 12]);
    const usual = await plain.getList('articles', {});
    assert.deepEqual([ids(usual), usual.total], [[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 12]);
});

test('getList filters, by values, lists, operators, relations and the search', async () => {
    const found = async filter => {
        const list = await provider.getList('articles', { pagination: first(25), sort: byId, filter });
        assert.equal(list.total, list.data.length);
        return ids(list);
    };
    assert.deepEqual(await found({ title: 'Article 03' }), [3]);
    assert.deepEqual(await found({ published: false, categoryId: 1 }), [1, 2, 4]);
    assert.deepEqual(await found({ id: [2, 11, 99] }), [2, 11]);
    assert.deepEqual(await found({ rating: { gte: 4, lt: 4.5 } }), [8]);
    assert.deepEqual(await found({ rating: null }), [10, 11, 12]);
    assert.deepEqual(await found({ category: { name: 'Databases' } }), [3, 6, 9, 12]);
    assert.deepEqual(await found({ q: 'JOINS', published: false }), [2, 4]);
});

test('getList refuses what the server does not know, and says what', async () => {
    const asked = { pagination: first(5), sort: byId, filter: { titel: 'x' } };
    await assert.rejects(plain.getList('articles', asked), error => {
        assert.equal(error.status, 400);
        assert.match(error.message, /titel.*title/s);
        return true;
    });
});

test('getOne reads one record', async () => {
    const { data } = await provider.getOne('articles', { id: 3 });
    assert.deepEqual([data.id, data.title, data.categoryId], [3, 'Article 03', 2]);
    await assert.rejects(provider.getOne('articles', { id: 99 }), { status: 404 });
});

test('getMany reads records by their ids', async () => {
    assert.deepEqual(ids(await provider.getMany('articles', { ids: [5, 1, 8] })), [1, 5, 8]);
    const many = Array.from({ length: 150 }, (_, number) => number + 5);
    assert.deepEqual(ids(await provider.getMany('articles', { ids: many })), [5, 6, 7, 8, 9, 10, 11, 12]);
});

test('getManyReference reads a page of what refers to a record', async () => {
    const list = await provider.getManyReference('articles', {
        target: 'categoryId',
        id: 1,
        pagination: { page: 2, perPage: 3 },
        sort: { field: 'id', order: 'DESC' },
        filter: { published: true },
    });
    assert.deepEqual([ids(list), list.total], [[7, 5], 5]);
});

test('create, update and delete write a record', async () => {
    const made = await plain.create('articles', { data: { title: 'New', body: 'text' } });
    const id = made.data.id;
    assert.equal(made.data.slug, 'new');
    // An edit page sends back everything that it has read.
    const data = { ...made.data, title: 'Newer', rating: 1.5 };
    const updated = await plain.update('articles', { id, data, previousData: made.data });
    assert.deepEqual([updated.data.title, updated.data.rating], ['Newer', 1.5]);
    assert.deepEqual((await plain.getOne('articles', { id })).data, updated.data);
    await plain.delete('articles', { id, previousData: updated.data });
    await assert.rejects(plain.getOne('articles', { id }), { status: 404 });
    const other = await provider.create('articles', { data: { title: 'Other', body: 'text' } });
    const deleted = await provider.delete('articles', { id: other.data.id, previousData: other.data });
    assert.deepEqual(deleted.data, other.data);
});

test('updateMany and deleteMany write several records', async () => {
    const made = [];
    for (const title of ['One', 'Two', 'Three']) {
        made.push((await provider.create('articles', { data: { title, body: 'text' } })).data.id);
    }
    const data = { title: 'Same', body: 'text', published: true };
    assert.deepEqual(await provider.updateMany('articles', { ids: made, data }), { data: made });
    const changed = await provider.getMany('articles', { ids: made });
    assert.deepEqual(changed.data.map(record => [record.title, record.published]), Array(3).fill(['Same', true]));
    assert.deepEqual(await provider.deleteMany('articles', { ids: made }), { data: made });
    assert.deepEqual(ids(await provider.getMany('articles', { ids: made })), []);
});

test('a draft is there for admins alone, and nobody else writes', async () => {
    const anyone = simpleRestProvider(backend.url);
    const list = await anyone.getList('articles', { pagination: first(25), sort: byId, filter: {} });
    assert.deepEqual([ids(list), list.total], [[5, 6, 7, 8, 9, 10, 11, 12], 8]);
    await assert.rejects(anyone.getOne('articles', { id: 1 }), { status: 404 });
    const data = { title: 'Stolen', body: 'text' };
    await assert.rejects(anyone.create('articles', { data }), { status: 401 });
    await assert.rejects(anyone.update('articles', { id: 5, data, previousData: {} }), { status: 401 });
    await assert.rejects(anyone.delete('articles', { id: 5, previousData: {} }), { status: 401 });
    assert.equal((await plain.getOne('articles', { id: 5 })).data.title, 'Article 05');
});
