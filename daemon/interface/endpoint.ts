import type { JsonNumber } from '../base/text/json-number.ts';
import type { z } from '../base/schema.ts';
import type { AuditEventName } from './security/audit-event.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE' | 'OPTIONS';

/** Callers allowed to use an endpoint: all, every identity, or identities with this permission. */
export type Access = 'PUBLIC' | 'ANY_IDENTITY' | `rest.${string}`;

/** Media types of bodies. */
type BodyType = 'application/json' | 'application/yaml' | 'text/plain' | 'text/csv' | 'multipart/form-data';

/** The body that an endpoint expects. */
export interface RequestBody<Schema extends z.ZodType = z.ZodType> {
  readonly contentType: BodyType;
  /** Media type that is accepted for the same content. */
  readonly alternativeType?: BodyType;
  readonly schema: Schema;
  /** Size limit of a body that is buffered and then validated; absent: the server streams it. */
  readonly maximumBytes?: number;
  /** Texts may contain NUL, as passwords set under older rules may. */
  readonly mayHoldNul?: boolean;
  /** Numbers are parsed as {JsonNumber}, so that a number for a text channel keeps its notation. */
  readonly keepsNumbers?: boolean;
}

/** A successful response; without schema and type it has no body. The schema of a stream describes its events, with type and data. */
interface ResponseBody<Schema extends z.ZodType = z.ZodType> {
  readonly status: number;
  readonly schema?: Schema;
  /** Default: JSON. */
  readonly contentType?: 'text/event-stream' | 'text/csv';
  /** Types in which a client may ask for the same content. */
  readonly alternativeTypes?: readonly ('application/x-ndjson' | 'text/csv')[];
}

/** The declaration of an endpoint. The server enforces it before the operation runs; clients derive their calls from it. */
export interface Endpoint<
  Path extends string = string,
  Query extends z.ZodObject = z.ZodObject,
  Request extends z.ZodType = z.ZodType,
  Response extends z.ZodType = z.ZodType,
> {
  readonly method: Method;
  /** Express path below the root, for example `/services/assets/:pid`. */
  readonly path: Path;
  /** Purpose of the endpoint, one sentence without a full stop. */
  readonly summary: string;
  readonly access: Access;
  /** Query parameters of the operation; absent: none. */
  readonly query?: Query;
  /** Ignores unknown query parameters, as Kura clients expect; absent: they are rejected with 400. */
  readonly isOfSpecification?: boolean;
  /** Treats null members of the body as absent, as Kura clients send them; `isOfSpecification` implies it. */
  readonly isNullAbsent?: boolean;
  /** Absent: a body is ignored. */
  readonly request?: RequestBody<Request>;
  readonly response: ResponseBody<Response>;
  /** Statuses with which the operation may refuse, in addition to those of every endpoint. */
  readonly refusals?: readonly (401 | 403 | 408 | 409 | 429 | 502 | 504 | 507)[];
  /** A change that requires or accepts `If-Match` with the state it was made for. */
  readonly condition?: 'NEEDED' | 'OPTIONAL';
  /** Returns an `ETag`, and 304 for a request whose `If-None-Match` contains it. */
  readonly isTagged?: boolean;
  /**
   * The response may be compressed: it contains nothing secret, no credential and no part of one. A text that an attacker chose
   * next to a secret would reveal it by the length of the response (BREACH). Absent: never compressed.
   */
  readonly isCompressible?: boolean;
  /** A change that accepts an `Idempotency-Key`: requests with the same key are executed once. */
  readonly isKeyed?: boolean;
  /** Serves a session without its XSRF token. */
  readonly isXsrfExempt?: boolean;
  /** Shows a client its login state: a 401 for a request without credentials is not recorded as a refusal. */
  readonly isSessionQuery?: boolean;
  /** Requests do not extend the session. */
  readonly isSessionNeutral?: boolean;
  /** Serves a session whose password has to be changed first. */
  readonly isOpenToLockedSessions?: boolean;
  /** Serves a session whose identity must set up a second factor first. */
  readonly isOpenForEnrolment?: boolean;
  /** A 401 of this endpoint contains no challenge. */
  readonly isLogin?: boolean;
  /**
   * Returns states, lists or the configuration, as shell completion requests them: its use over the local socket is not recorded.
   * Device values, tag sheets, the audit and backups are not a status.
   */
  readonly isStatus?: boolean;
  /** Event recorded for every attempt; absent: only refusals are recorded. */
  readonly audit?: AuditEventName;
  /** Event of a request with `dryRun=true`; default: `audit`. */
  readonly auditOfTrial?: AuditEventName;
}

type Nothing = Readonly<Record<string, never>>;

/** Declares an endpoint and preserves the types of its path, query, body and response. */
export function endpoint<
  const Path extends string,
  Query extends z.ZodObject = z.ZodObject<Nothing>,
  Request extends z.ZodType = z.ZodUndefined,
  Response extends z.ZodType = z.ZodUndefined,
>(declaration: Endpoint<Path, Query, Request, Response>): Endpoint<Path, Query, Request, Response> {
  return declaration;
}

/** Declares a JSON body that is buffered before it is parsed. */
export function jsonBody<Schema extends z.ZodType>(
  schema: Schema,
  maximumBytes: number,
): RequestBody<Schema> & { readonly maximumBytes: number } {
  return { contentType: 'application/json', schema, maximumBytes };
}

/** Path parameters of an endpoint, by name. */
export type PathParameters<Path extends string> = {
  readonly [Name in ParameterName<Path>]: string;
};

type ParameterName<Path extends string> = Path extends `${string}/:${infer Rest}`
  ? Rest extends `${infer Name}/${infer Further}`
    ? Name | ParameterName<`/${Further}`>
    : Rest
  : never;

/** Request targets of an endpoint, with or without a query. */
export type TargetOf<E> = E extends Endpoint<infer Path> ? Filled<Path> | `${Filled<Path>}?${string}` : never;

type Filled<Path extends string> = Path extends `${infer Before}/:${infer Rest}`
  ? Rest extends `${string}/${infer After}`
    ? `${Before}/${string}/${Filled<After>}`
    : `${Before}/${string}`
  : Path;

/** Query of an endpoint as its operation receives it. */
export type QueryOf<E> = E extends Endpoint<string, infer Query> ? z.output<Query> : never;

/** Body of an endpoint as its operation receives it. */
export type BodyOf<E> = E extends Endpoint<string, z.ZodObject, infer Request> ? z.output<Request> : never;

/** Body of an endpoint as a client sends it. */
export type SentBody<E> =
  E extends Endpoint<string, z.ZodObject, infer Request> ? Given<z.input<Request>> : never;

/** Response of an endpoint as its operation returns it. */
export type ResultOf<E> =
  E extends Endpoint<string, z.ZodObject, z.ZodType, infer Response> ? Given<z.output<Response>> : never;

/** Response of an endpoint as a client receives it. */
export type AnswerOf<E> =
  E extends Endpoint<string, z.ZodObject, z.ZodType, infer Response> ? Received<z.output<Response>> : never;

/** A value to serialize as JSON. */
type Given<Value> = Value extends readonly (infer Element)[]
  ? readonly Given<Element>[]
  : Value extends object
    ? { readonly [Key in keyof Value]: Given<Value[Key]> }
    : Value;

/** Value that a client receives for a schema. */
export type Shape<Schema extends z.ZodType> = Received<z.output<Schema>>;

/** A parsed JSON value: members are present or absent, and numbers of any size are numbers. */
type Received<Value> = Value extends bigint | JsonNumber
  ? number
  : Value extends readonly (infer Element)[]
    ? readonly Received<Element>[]
    : Value extends object
      ? { readonly [Key in keyof Value]: Received<Exclude<Value[Key], undefined>> }
      : Value;

/** Path and query parameters as a client passes them; a list is joined with commas. */
export type ParametersOf<E> =
  E extends Endpoint<infer Path, infer Query>
    ? PathParameters<Path> & {
        readonly [Name in keyof z.input<Query>]: QueryValue;
      }
    : never;

type QueryValue = string | number | boolean | readonly string[] | undefined;

/**
 * Builds the request target of an endpoint.
 *
 * @throws {TypeError} if a path parameter is missing
 */
export function toTarget(
  { path, query }: Pick<Endpoint, 'path' | 'query'>,
  parameters: ParametersOf<Endpoint>,
): string {
  const values: Readonly<Record<string, QueryValue>> = parameters;
  const filled = path.replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new TypeError(`path parameter "${name}" of ${path} is missing`);
    return encodeURIComponent(String(value));
  });
  const given = new URLSearchParams();
  for (const name of Object.keys(query?.shape ?? {})) {
    if (values[name] !== undefined) given.set(name, String(values[name]));
  }
  return given.size === 0 ? filled : `${filled}?${given.toString()}`;
}
