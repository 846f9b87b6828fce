// Calls every operation of the documents, with types that are generated from them.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import createClient, { type Client, type Middleware } from 'openapi-fetch';
import type { components, paths as AdminPaths } from './generated/admin.js';
import type { paths as AnonymousPaths } from './generated/anonymous.js';

type Schemas = components['schemas'];
type Document = { paths: Record<string, Record<string, { operationId?: string }>> };

/** Lists in the query, as the document says: `color[in]=blue,red`, and `id=1&id=2` for a deletion. */
const commas = { array: { style: 'form', explode: false } } as const;
const repeated = { array: { style: 'form', explode: true } } as const;

/** The client of an admin. */
type Admin = Client<AdminPaths, 'application/json'>;
/** The client of a visitor without an account. */
type Anonymous = Client<AnonymousPaths, 'application/json'>;

/** Returns the data of a successful call. */
function data<T>(result: { data?: T; error?: unknown; response: Response }): T {
    assert.ok(result.response.ok, `${result.response.url}: ${result.response.status} ${JSON.stringify(result.error)}`);
    return result.data as T;
}

/** Returns the object of a call that may return several. */
function one<T extends object>(value: T | T[]): T {
    assert.ok(!Array.isArray(value));
    return value;
}

/** Remembers the operations that clients call. */
function recorder(name: string, called: Set<string>): Middleware {
    const file = new URL(`../${name}.json`, import.meta.url);
    const { paths } = JSON.parse(readFileSync(file, 'utf8')) as Document;
    return {
        onResponse({ schemaPath, request, response }) {
            const id = paths[schemaPath]?.[request.method.toLowerCase()]?.operationId;
            assert.ok(id, `${request.method} ${schemaPath} is in the document`);
            if (response.ok) {
                called.add(id);
            }
        },
    };
}

/** Calls every operation, and returns the ids of those that succeeded. */
export async function callEverything(url: string, token: string): Promise<Set<string>> {
    const options = { baseUrl: url.replace('/api/v1', ''), querySerializer: commas };
    const called = new Set<string>();
    const admin: Admin = createClient<AdminPaths, 'application/json'>({ ...options, headers: { Authorization: `Bearer ${token}` } });
    admin.use(recorder('admin', called));
    const anonymous: Anonymous = createClient<AnonymousPaths, 'application/json'>(options);
    anonymous.use(recorder('anonymous', called));
    const categoryId = await categories(admin);
    const articleId = await articles(admin, categoryId);
    await comments(admin, anonymous, articleId);
    await tags(anonymous);
    await contact(anonymous);
    await samples(admin);
    await accounts(admin, anonymous);
    await credentials(admin);
    return called;
}

/** Calls that the compiler must reject. They are never made. */
export async function mistakes(admin: Admin, anonymous: Anonymous): Promise<void> {
    const path = { id: 1 };
    // @ts-expect-error: a required field is missing
    await admin.POST('/api/v1/articles', { body: { title: 'Snow' } });
    // @ts-expect-error: a field is unknown
    const body: Schemas['ArticleUpdate'] = { colour: 'white' };
    await admin.PATCH('/api/v1/articles/{id}', { params: { path }, body });
    // @ts-expect-error: a value has another type
    await admin.PATCH('/api/v1/articles/{id}', { params: { path }, body: { rating: 'high' } });
    // @ts-expect-error: a value is not one of the choices
    await admin.PATCH('/api/v1/samples/{id}', { params: { path }, body: { color: 'pink' } });
    // @ts-expect-error: the body of a view has another value
    await admin.POST('/api/v1/auth/login', { body: { email: 'root', password: 'x', credential: 'cookie' } });
    // @ts-expect-error: the body of a view lacks a member
    await admin.POST('/api/v1/auth/password', { body: { password: 'x' } });
    // @ts-expect-error: the path has a parameter
    await admin.GET('/api/v1/articles/{id}');
    // @ts-expect-error: the operator does not exist for the field
    await admin.GET('/api/v1/articles', { params: { query: { 'published[gte]': true } } });
    // @ts-expect-error: the value of a filter has the type of its field
    await admin.GET('/api/v1/articles', { params: { query: { 'rating[gte]': 'high' } } });
    // @ts-expect-error: a field is not sortable
    await admin.GET('/api/v1/articles', { params: { query: { sort: ['colour'] } } });
    // @ts-expect-error: the method is not supported
    await admin.DELETE('/api/v1/categories');
    // @ts-expect-error: the method is not for visitors
    await anonymous.POST('/api/v1/categories', { body: { name: 'Rust' } });
    // @ts-expect-error: the response has no such member
    one(data(await admin.GET('/api/v1/articles/{id}', { params: { path } }))).colour;
}

async function categories(admin: Admin): Promise<number> {
    const kept = data(await admin.POST('/api/v1/categories', { body: { name: 'Kept' } }));
    const { id } = data(await admin.POST('/api/v1/categories', { body: { name: 'Rust' } }));
    const path = { id };
    data(await admin.PUT('/api/v1/categories/{id}', { params: { path }, body: { name: 'Databases' } }));
    data(await admin.PATCH('/api/v1/categories/{id}', { params: { path }, body: { name: 'Gardens' } }));
    const read = data(await admin.GET('/api/v1/categories/{id}', { params: { path } }));
    assert.equal(read.name, 'Gardens');
    const list = data(await admin.GET('/api/v1/categories', { params: { query: { sort: ['-name'] } } }));
    assert.deepEqual(list.map(({ name }) => name), ['Kept', 'Gardens']);
    data(await admin.DELETE('/api/v1/categories/{id}', { params: { path } }));
    return kept.id;
}

async function articles(admin: Admin, categoryId: number): Promise<number> {
    const article: Schemas['ArticleCreate'] = { title: 'Snow', body: 'white', published: true, categoryId };
    const created = one(data(await admin.POST('/api/v1/articles', { body: article })));
    const path = { id: created.id };
    const several = data(await admin.POST('/api/v1/articles', { body: [article, article] }));
    assert.ok(Array.isArray(several));
    const csv = data(
        await admin.POST('/api/v1/articles', {
            body: 'title,body\nIce,cold\n',
            bodySerializer: text => text,
            headers: { 'Content-Type': 'text/csv' },
        }),
    );
    assert.ok(Array.isArray(csv));
    const replaced = several.map(({ id }) => ({ ...article, id, title: 'Rain' }));
    data(await admin.PUT('/api/v1/articles', { body: replaced }));
    data(await admin.PATCH('/api/v1/articles', { body: several.map(({ id }) => ({ id, rating: 4.5 })) }));
    data(await admin.PUT('/api/v1/articles/{id}', { params: { path }, body: { ...article, price: '9.50' } }));
    data(await admin.PATCH('/api/v1/articles/{id}', { params: { path }, body: { publishDate: '2026-11-16' } }));
    const query = { expand: ['category' as const] };
    const read = data(await admin.GET('/api/v1/articles/{id}', { params: { path, query } }));
    assert.equal(read.price, '9.50');
    const found = await admin.GET('/api/v1/articles', {
        params: { query: { 'rating[gte]': 4, title: 'Rain', pageSize: 1, page: 2 } },
    });
    assert.equal(data(found).length, 1);
    const gone = several.map(({ id }) => id);
    data(await admin.DELETE('/api/v1/articles', { params: { query: { id: gone } }, querySerializer: repeated }));
    const [ice] = csv;
    assert.ok(ice);
    data(await admin.DELETE('/api/v1/articles/{id}', { params: { path: { id: ice.id } } }));
    return created.id;
}

async function comments(admin: Admin, anonymous: Anonymous, articleId: number): Promise<void> {
    const below = { article_id: articleId };
    const comment = { name: 'Ben', body: 'I like it.' };
    const url = '/api/v1/articles/{article_id}/comments';
    const created = one(data(await anonymous.POST(url, { params: { path: below }, body: comment })));
    const path = { ...below, id: created.id };
    const item = '/api/v1/articles/{article_id}/comments/{id}';
    data(await admin.PUT(item, { params: { path }, body: { ...comment, name: 'Eva' } }));
    data(await admin.PATCH(item, { params: { path }, body: { name: 'Ann' } }));
    assert.equal(data(await anonymous.GET(item, { params: { path } })).name, 'Ann');
    data(await admin.PATCH(url, { params: { path: below }, body: [{ id: created.id, body: 'Too long.' }] }));
    assert.equal(data(await anonymous.GET(url, { params: { path: below } })).length, 1);
    const other = one(data(await admin.POST(url, { params: { path: below }, body: comment })));
    data(await admin.DELETE(url, { params: { path: below, query: { id: [other.id] } }, querySerializer: repeated }));
    data(await admin.DELETE(item, { params: { path } }));
}

async function tags(client: Anonymous): Promise<void> {
    const created = data(await client.POST('/api/v1/tags', { body: { tag: { name: 'stone' } } }));
    assert.ok('tag' in created);
    const { id } = created.tag;
    const path = { id };
    data(await client.PUT('/api/v1/tags/{id}', { params: { path }, body: { tag: { name: 'amber' } } }));
    data(await client.PATCH('/api/v1/tags/{id}', { params: { path }, body: { tag: { name: 'cedar' } } }));
    assert.equal(data(await client.GET('/api/v1/tags/{id}', { params: { path } })).tag.name, 'cedar');
    data(await client.PATCH('/api/v1/tags', { body: { tags: [{ id, name: 'river' }] } }));
    assert.deepEqual(data(await client.GET('/api/v1/tags')).tags, [{ id, name: 'river' }]);
    const other = data(await client.POST('/api/v1/tags', { body: { tags: [{ name: 'a' }, { name: 'b' }] } }));
    assert.ok('tags' in other);
    data(await client.DELETE('/api/v1/tags', { params: { query: { id: other.tags.map(tag => tag.id) } }, querySerializer: repeated }));
    data(await client.DELETE('/api/v1/tags/{id}', { params: { path } }));
}

async function contact(client: Anonymous): Promise<void> {
    const body = { contactSubmission: { name: 'Ben', email: 'ben@example.com', message: 'Hello' } };
    data(await client.POST('/api/v1/contact-submissions', { body }));
}

async function samples(admin: Admin): Promise<void> {
    const sample: Schemas['SampleCreate'] = {
        flag: true,
        small: 1,
        number: 2,
        big: 3,
        single: 1.5,
        ratio: 2.5,
        text: 'text',
        blob: 'AQID',
        amount: '1.5000',
        day: '2026-11-16',
        clock: '07:08:09',
        moment: '2026-11-16T07:08:09Z',
        token: '01902d5e-7b6c-7c3a-9f00-0123456789ab',
        extra: { nested: [1, null] },
        color: 'green',
    };
    const { id } = one(data(await admin.POST('/api/v1/samples', { body: sample })));
    const path = { id };
    data(await admin.PUT('/api/v1/samples/{id}', { params: { path }, body: { ...sample, maybeColor: 'red' } }));
    data(await admin.PATCH('/api/v1/samples/{id}', { params: { path }, body: { maybeSmall: -1 } }));
    const read = data(await admin.GET('/api/v1/samples/{id}', { params: { path } }));
    assert.deepEqual([read.maybeSmall, read.maybeColor, read.extra], [-1, 'red', { nested: [1, null] }]);
    data(await admin.PUT('/api/v1/samples', { body: [{ ...sample, id }] }));
    data(await admin.PATCH('/api/v1/samples', { body: [{ id, color: 'blue' }] }));
    const listed = await admin.GET('/api/v1/samples', { params: { query: { 'color[in]': ['blue', 'red'] } } });
    assert.equal(data(listed).length, 1);
    const other = one(data(await admin.POST('/api/v1/samples', { body: sample })));
    data(await admin.DELETE('/api/v1/samples', { params: { query: { id: [other.id] } }, querySerializer: repeated }));
    data(await admin.DELETE('/api/v1/samples/{id}', { params: { path } }));
}

async function accounts(admin: Admin, anonymous: Anonymous): Promise<void> {
    const body = { email: 'eva@example.com', username: 'eva', password: 'correct horse' };
    const { id } = data(await anonymous.POST('/api/v1/auth/users', { body }));
    const path = { id };
    assert.equal(data(await admin.GET('/api/v1/auth/users')).length, 2);
    data(await admin.POST('/api/v1/auth/users/{id}/disable', { params: { path } }));
    data(await admin.POST('/api/v1/auth/users/{id}/enable', { params: { path } }));
    assert.equal(data(await admin.GET('/api/v1/auth/users/{id}', { params: { path } })).username, 'eva');
    const status = data(await admin.GET('/api/v1/auth/status'));
    assert.ok(status.user);
    const own = { id: status.user.id };
    data(await admin.PATCH('/api/v1/auth/users/{id}', { params: { path: own }, body: { firstName: 'Root' } }));
    const replacement = { email: 'root@example.com', username: 'root', lastName: 'Admin' };
    data(await admin.PUT('/api/v1/auth/users/{id}', { params: { path: own }, body: replacement }));
    const passwords = { password: 'correct horse', newPassword: 'correct horse again' };
    data(await admin.POST('/api/v1/auth/password', { body: passwords }));
}

async function credentials(admin: Admin): Promise<void> {
    const body = { email: 'root', password: 'correct horse again', credential: 'both' as const };
    data(await admin.POST('/api/v1/auth/login', { body: body }));
    const sessions = data(await admin.GET('/api/v1/auth/sessions'));
    const [session] = sessions;
    assert.ok(session?.id);
    data(await admin.DELETE('/api/v1/auth/sessions/{id}', { params: { path: { id: session.id } } }));
    const expiresAt = new Date(Date.now() + 86_400_000).toISOString();
    const created = data(await admin.POST('/api/v1/auth/tokens', { body: { name: 'spare', expiresAt } }));
    assert.ok(data(await admin.GET('/api/v1/auth/tokens')).some(({ id }) => id === created.id));
    data(await admin.DELETE('/api/v1/auth/tokens/{id}', { params: { path: { id: created.id } } }));
    data(await admin.POST('/api/v1/auth/logout'));
}
