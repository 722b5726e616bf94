import assert from 'node:assert/strict';
import { test } from 'node:test';

import { z } from '../../../../daemon/base/schema.ts';
import { finish } from '../../../../daemon/base/slices.ts';
import { describeRoutes, nameOperation } from '../../../../daemon/server/rest/openapi.ts';
import { defineRoute } from '../../../../daemon/server/http/route.ts';
import type { Route } from '../../../../daemon/server/http/route.ts';

interface Description {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<
        Record<
          string,
          {
            readonly responses: Readonly<
              Record<string, { readonly content?: Readonly<Record<string, { readonly schema: unknown }>> }>
            >;
          }
        >
      >
    >
  >;
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
}

/** Describes endpoints as a client reads it. */
function describeAsRead(routes: readonly Route[]): Description {
  return JSON.parse(JSON.stringify(finish(describeRoutes(routes, '1.2.3')))) as Description;
}

const read = defineRoute({
  method: 'POST',
  path: '/services/assets/:pid/_read',
  summary: 'Reads',
  access: 'rest.assets',
  query: z.strictObject({ limit: z.int().default(3), name: z.string() }),
  request: {
    contentType: 'application/json',
    schema: z.strictObject({ channels: z.array(z.string()) }),
    maximumBytes: 10,
  },
  response: { status: 200, schema: z.array(z.string()) },
  handle: () => ({ status: 200 }),
});

test('the server of a description lies below the path of a proxy', () => {
  assert.deepEqual(finish(describeRoutes([], '1.2.3'))['servers'], [{ url: '/' }]);
  assert.deepEqual(finish(describeRoutes([], '1.2.3', '/plant/gateway'))['servers'], [
    { url: '/plant/gateway' },
  ]);
});

test('nameOperation joins method and path to one word', () => {
  assert.equal(nameOperation(read), 'postAssetsByPidRead');
  assert.equal(nameOperation({ method: 'GET', path: '/services/token/jwt/v1/issue' }), 'getTokenJwtIssue');
});

test('describeRoutes derives parameters, bodies and answers from the schemas that check them', () => {
  const { paths } = finish(describeRoutes([read], '1.2.3')) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, unknown>>>>>>;
  };
  const operation = paths['/services/assets/{pid}/_read']?.['post'];
  assert.deepEqual(operation?.['parameters'], [
    { name: 'pid', in: 'path', required: true, schema: { type: 'string' } },
    {
      name: 'limit',
      in: 'query',
      required: false,
      schema: {
        default: 3,
        type: 'integer',
        minimum: -9_007_199_254_740_991,
        maximum: 9_007_199_254_740_991,
      },
    },
    { name: 'name', in: 'query', required: true, schema: { type: 'string' } },
  ]);
  assert.deepEqual(operation?.['requestBody'], {
    required: true,
    content: {
      'application/json': {
        schema: {
          type: 'object',
          properties: { channels: { type: 'array', items: { type: 'string' } } },
          required: ['channels'],
          additionalProperties: false,
        },
      },
    },
  });
  const answers = operation?.['responses'] as Readonly<Record<string, unknown>>;
  assert.deepEqual(Object.keys(answers), [
    '200',
    '400',
    '401',
    '403',
    '404',
    '406',
    '413',
    '415',
    '429',
    '500',
    '503',
  ]);
});

test('describeRoutes lists the statuses that an operation adds, and If-Match where it is read', () => {
  const statusesOf = (route: Partial<Route>): readonly string[] => {
    const { paths } = describeAsRead([{ ...read, ...route }]);
    return Object.keys(paths['/services/assets/{pid}/_read']?.['post']?.responses ?? {});
  };
  const plain = statusesOf({});
  const added = (route: Partial<Route>): readonly string[] =>
    statusesOf(route).filter((status) => !plain.includes(status));
  assert.deepEqual(added({ refusals: [409, 502, 504, 507] }), ['409', '502', '504', '507']);
  assert.deepEqual(added({ condition: 'NEEDED' }), ['409', '412', '428']);
  assert.deepEqual(added({ condition: 'OPTIONAL' }), ['412']);
  assert.ok(statusesOf({ access: 'PUBLIC', refusals: [401] }).includes('401'));
  assert.ok(statusesOf({ access: 'PUBLIC' }).includes('403'));
  assert.match(JSON.stringify(finish(describeRoutes([{ ...read, condition: 'NEEDED' }], '1'))), /"If-Match"/);
  assert.doesNotMatch(JSON.stringify(finish(describeRoutes([read], '1'))), /"If-Match"/);
});

test('describeRoutes requires no credentials for a route with access PUBLIC', () => {
  const open = { ...read, access: 'PUBLIC' } as const;
  const text = JSON.stringify(finish(describeRoutes([open], '1.2.3')));
  assert.match(text, /"security":\[\]/);
  assert.doesNotMatch(text, /The request is not authenticated/);
});

test('describeRoutes keeps a schema with a name once, and refers to it', () => {
  const record = z.strictObject({ value: z.number() }).meta({ id: 'Measurement' });
  const list = { ...read, response: { status: 200, schema: z.array(record) } };
  const single = { ...read, method: 'GET', response: { status: 200, schema: record } } as const;
  const { paths, components } = describeAsRead([list, single]);
  assert.deepEqual(components.schemas['Measurement'], {
    type: 'object',
    properties: { value: { type: 'number' } },
    required: ['value'],
    additionalProperties: false,
  });
  const schemaOf = (method: string): unknown =>
    paths['/services/assets/{pid}/_read']?.[method]?.responses['200']?.content?.['application/json']?.schema;
  const reference = { $ref: '#/components/schemas/Measurement' };
  assert.deepEqual(schemaOf('get'), reference);
  assert.deepEqual(schemaOf('post'), { type: 'array', items: reference });
});

test('describeRoutes refuses a name that two schemas have', () => {
  // Described by what it takes and by what it gives, it has two forms.
  const record = z.object({ value: z.number().default(1) }).meta({ id: 'Ambiguous' });
  const route = {
    ...read,
    request: { contentType: 'application/json', schema: record, maximumBytes: 10 },
    response: { status: 200, schema: record },
  };
  assert.throws(
    () => finish(describeRoutes([route as never], '1.2.3')),
    /two schemas have the name Ambiguous/,
  );
});
