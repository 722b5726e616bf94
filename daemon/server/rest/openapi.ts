import type { Access } from '../../interface/endpoint.ts';
import type { Route } from '../http/route.ts';
import { ERROR_HEADER } from '../http/shown-code.ts';
import { failureReport } from '../../interface/failure.ts';
import { z } from '../../base/schema.ts';
import type { Slices } from '../../base/slices.ts';

type Json = Readonly<Record<string, unknown>>;

// Status codes of RFC 9110 and RFC 6585; the texts are for readers.
const REFUSALS = {
  400: 'The request is malformed or invalid',
  401: 'The request is not authenticated',
  403: 'The identity lacks the permission',
  404: 'The resource does not exist, or the endpoint is disabled',
  406: 'The client does not accept the response type',
  408: 'The body arrives too slowly',
  409: 'The request conflicts with the current state',
  412: 'If-Match does not match the current state',
  413: 'The body is too large',
  415: 'The content type is not supported',
  422: 'The Idempotency-Key was used for another request',
  428: 'If-Match is missing',
  429: 'Too many attempts, streams or uploads',
  500: 'Internal error; search the log for the request id in the message',
  502: 'An upstream server or device is unreachable, or its response is invalid',
  503: 'Temporarily overloaded; retry later',
  504: 'An upstream server does not respond in time',
  507: 'Not enough disk space for the body',
} as const;

const SECURITY_SCHEMES = {
  certificate: { type: 'mutualTLS', description: 'Client certificate on a port that requires one' },
  basic: { type: 'http', scheme: 'basic' },
  session: { type: 'apiKey', in: 'cookie', name: 'JSESSIONID' },
  xsrf: { type: 'apiKey', in: 'header', name: 'X-XSRF-Token' },
  bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
} as const;

// One of these is enough; a session comes with its XSRF token.
const SECURITY = [{ certificate: [] }, { basic: [] }, { session: [], xsrf: [] }, { bearer: [] }];

const IF_MATCH = {
  NEEDED: describeIfMatch('ETag of the version that was read, or *; optional for a dry run'),
  OPTIONAL: describeIfMatch(
    'ETag of the version that was read; without it the change applies to any current state',
  ),
} as const;

const IF_NONE_MATCH = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'ETag of an earlier response; the response is 304 if the content is still the same',
  schema: { type: 'string' },
} as const;

const TAG_HEADER = {
  ETag: { description: 'Names this state of the content', schema: { type: 'string' } },
} as const;

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Chosen by the client, different for each change: repeating a request with the same key within 24 hours returns the first response and does nothing',
  schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,64}$' },
} as const;

const CODE_HEADER = {
  [ERROR_HEADER]: {
    description: 'Code of the error, for the codes that clients may see; absent for all others',
    schema: { type: 'string' },
  },
} as const;

const REPLAYED_HEADER = {
  'Idempotency-Replayed': {
    description: 'The response is that of the first request with the key; nothing was done now',
    schema: { type: 'string', enum: ['true'] },
  },
} as const;

/**
 * Describes endpoints in the terms of OpenAPI 3.1, from the schemas that check their bodies. Can be interrupted between them:
 * the schemas of most are built for it.
 *
 * @param version version of the product
 * @param pathPrefix path below which the client finds the endpoints, without a slash at its end; empty: at the root
 */
export function* describeRoutes(routes: readonly Route[], version: string, pathPrefix = ''): Slices<Json> {
  const schemas = new NamedSchemas();
  schemas.describe(failureReport, 'input');
  const paths = new Map<string, Record<string, Json>>();
  for (const route of routes) {
    const template = toTemplate(route.path);
    const operations = paths.get(template) ?? {};
    operations[route.method.toLowerCase()] = describeOperation(route, schemas);
    paths.set(template, operations);
    yield;
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Penstock',
      version,
      summary: 'One secured REST interface to the field devices of a gateway',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: pathPrefix === '' ? '/' : pathPrefix }],
    paths: Object.fromEntries(paths),
    components: {
      schemas: {
        ...schemas.all(),
      },
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

function toTemplate(path: string): string {
  return path.replaceAll(/:(\w+)/g, '{$1}');
}

function describeOperation(route: Route, schemas: NamedSchemas): Json {
  const { summary, access, path, request } = route;
  const [, tag = ''] = /^\/services\/(\w+)/.exec(path) ?? [];
  return {
    operationId: nameOperation(route),
    summary,
    ...(tag === '' ? {} : { tags: [tag] }),
    ...describeAccess(access),
    parameters: [
      ...listPathParameters(path),
      ...listQueryParameters(route, schemas),
      ...(route.condition === undefined ? [] : [IF_MATCH[route.condition]]),
      ...(route.isTagged === true ? [IF_NONE_MATCH] : []),
      ...(route.isKeyed === true ? [IDEMPOTENCY_KEY] : []),
    ],
    ...(request === undefined ? {} : { requestBody: describeBody(request, schemas) }),
    responses: describeAnswers(route, schemas),
  };
}

// Of these a name without the version would be that of two operations.
const SEVERAL_VERSIONS = /^\/services\/(?:identity|keystores)\//;

/** Returns the name of an operation in generated clients: `getAssetsByPidRead`. */
export function nameOperation({ method, path }: Pick<Route, 'method' | 'path'>): string {
  const words = path
    .split('/')
    .filter((word) => word !== '' && word !== 'services')
    .filter((word) => !/^v\d+$/.test(word) || (word !== 'v1' && SEVERAL_VERSIONS.test(path)))
    .map((word) => (word.startsWith(':') ? `By ${word.slice(1)}` : word))
    .flatMap((word) => word.split(/[^A-Za-z0-9]+/))
    .filter((word) => word !== '');
  return [method.toLowerCase(), ...words.map((word) => word.charAt(0).toUpperCase() + word.slice(1))].join(
    '',
  );
}

function describeAccess(access: Access): Json {
  if (access === 'PUBLIC') return { security: [] };
  const needed = access === 'ANY_IDENTITY' ? 'Any identity' : `Needs the permission ${access}`;
  return { security: SECURITY, description: `${needed}.` };
}

function listPathParameters(path: string): readonly Json[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
}

function listQueryParameters({ query }: Route, schemas: NamedSchemas): readonly Json[] {
  if (query === undefined) return [];
  const { properties = {}, required = [] } = schemas.describe(query, 'input') as {
    readonly properties?: Readonly<Record<string, Json>>;
    readonly required?: readonly string[];
  };
  return Object.entries(properties).map(([name, schema]) =>
    describeQueryParameter(name, required.includes(name), schema),
  );
}

// The description of a schema is that of the parameter, where tools show it.
function describeQueryParameter(name: string, required: boolean, { description, ...schema }: Json): Json {
  const parameter = { name, in: 'query', required, schema };
  return description === undefined ? parameter : { ...parameter, description };
}

function describeBody(
  { contentType, alternativeType, schema }: NonNullable<Route['request']>,
  schemas: NamedSchemas,
): Json {
  const media = { schema: schemas.describe(schema, 'input') };
  return {
    required: true,
    content: {
      [contentType]: media,
      ...(alternativeType === undefined ? {} : { [alternativeType]: media }),
    },
  };
}

function describeAnswers(route: Route, schemas: NamedSchemas): Json {
  const { response } = route;
  const { status, schema, contentType = 'application/json', alternativeTypes = [] } = response;
  const hasBody = schema !== undefined || response.contentType !== undefined;
  const isText = schema === undefined || contentType !== 'application/json';
  const media = { schema: isText ? { type: 'string' } : schemas.describe(schema, 'output') };
  const alternatives = alternativeTypes.map((type) => [type, { schema: { type: 'string' } }] as const);
  const refusals = Object.entries(REFUSALS).filter(([code]) => isPossible(Number(code), route, hasBody));
  return {
    [status]: {
      description: 'Done',
      ...(route.isKeyed === true ? { headers: REPLAYED_HEADER } : {}),
      ...(route.isTagged === true ? { headers: TAG_HEADER } : {}),
      ...(hasBody ? { content: { [contentType]: media, ...Object.fromEntries(alternatives) } } : {}),
    },
    ...(route.isTagged === true ? { 304: { description: 'The content is still the same' } } : {}),
    ...Object.fromEntries(refusals.map(([code, description]) => [code, describeRefusal(description)])),
  };
}

function describeIfMatch(description: string): Json {
  return { name: 'If-Match', in: 'header', required: false, description, schema: { type: 'string' } };
}

function isPossible(status: number, route: Route, hasBody: boolean): boolean {
  const { access, method, request, refusals = [], condition, isKeyed = false } = route;
  if (refusals.some((refusal) => refusal === status)) return true;
  if (status === 406) return hasBody;
  if (status === 401) return access !== 'PUBLIC';
  // Pages of other hosts may read, if anything.
  if (status === 403) return access.startsWith('rest.') || method !== 'GET';
  if (status === 422 || (status === 409 && isKeyed)) return isKeyed;
  if (status === 412) return condition !== undefined;
  if (status === 409 || status === 428) return condition === 'NEEDED';
  if (status === 408 || status === 502 || status === 504 || status === 507) return false;
  return (status !== 413 && status !== 415) || request !== undefined;
}

function describeRefusal(description: string): Json {
  const schema = { $ref: '#/components/schemas/GenericFailureReport' };
  return { description, headers: CODE_HEADER, content: { 'application/json': { schema } } };
}

/** Describes schemas in JSON Schema; those with a name are kept apart and referred to. */
class NamedSchemas {
  readonly #byName = new Map<string, Json>();

  /**
   * Describes what a schema takes or gives.
   *
   * @throws when another schema has the same name, or the same one is not described alike in both directions
   */
  describe(schema: z.ZodType, io: 'input' | 'output'): Json {
    const described = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
    const { $schema: _dialect, $defs = {}, ...root } = toReferences(described);
    for (const [name, definition] of Object.entries($defs as Readonly<Record<string, Json>>)) {
      this.#keep(name, definition);
    }
    return root;
  }

  /** Returns every schema with a name, sorted by it. */
  all(): Readonly<Record<string, Json>> {
    return Object.fromEntries([...this.#byName].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }

  #keep(name: string, definition: Json): void {
    const known = this.#byName.get(name);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(definition)) {
      throw new Error(`two schemas have the name ${name}`);
    }
    this.#byName.set(name, definition);
  }
}

// OpenAPI 3.1 keeps them in another place than JSON Schema does.
function toReferences(described: unknown): Json {
  return JSON.parse(JSON.stringify(described).replaceAll('"#/$defs/', '"#/components/schemas/')) as Json;
}
