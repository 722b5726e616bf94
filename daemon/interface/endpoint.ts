import type { JsonNumber } from '../base/text/json-number.ts';
import type { z } from '../base/schema.ts';
import type { AuditEventName } from './security/audit-event.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE' | 'OPTIONS';

/** Who may call an endpoint: anybody, any identity, or identities with this permission. */
export type Access = 'ANYBODY' | 'ANY_IDENTITY' | `rest.${string}`;

/** Media types of bodies. */
type BodyType = 'application/json' | 'application/yaml' | 'text/plain' | 'text/csv' | 'multipart/form-data';

/** The body that an endpoint expects. */
export interface RequestBody<Schema extends z.ZodType = z.ZodType> {
  readonly contentType: BodyType;
  /** Another type that is accepted for the same content. */
  readonly alternativeType?: BodyType;
  readonly schema: Schema;
  /** Of a body that is received as a whole and then checked; absent: the server receives it in parts. */
  readonly maximumBytes?: number;
  /** Texts may hold NUL, as passwords that were set long ago may. */
  readonly mayHoldNul?: boolean;
  /** Numbers are each a {JsonNumber}, so that one that is to be a text keeps its own. */
  readonly keepsNumbers?: boolean;
}

/** A successful answer; neither schema nor type: no body. The schema of a stream is that of its events, with type and data. */
interface ResponseBody<Schema extends z.ZodType = z.ZodType> {
  readonly status: number;
  readonly schema?: Schema;
  /** JSON unless given. */
  readonly contentType?: 'text/event-stream' | 'text/csv';
}

/** The declaration of an endpoint, which the server enforces before the operation runs, and by which clients call it. */
export interface Endpoint<
  Path extends string = string,
  Query extends z.ZodObject = z.ZodObject,
  Request extends z.ZodType = z.ZodType,
  Response extends z.ZodType = z.ZodType,
> {
  readonly method: Method;
  /** Express path below the root, for example `/services/assets/:pid`. */
  readonly path: Path;
  /** Purpose of the endpoint in a few words. */
  readonly summary: string;
  readonly access: Access;
  /** Parameters of the query, which the operation reads; absent: none. */
  readonly query?: Query;
  /** Ignores other parameters of the query, as clients of Kura expect; absent: they are answered with 400. */
  readonly isOfSpecification?: boolean;
  /** Takes members of the body that are null for absent, as clients of Kura mean them; so does `isOfSpecification`. */
  readonly isNullAbsent?: boolean;
  /** Absent: a body is ignored. */
  readonly request?: RequestBody<Request>;
  readonly response: ResponseBody<Response>;
  /** Statuses with which the operation itself may refuse, beside those that every endpoint has. */
  readonly refusals?: readonly (401 | 403 | 408 | 409 | 429 | 502 | 504 | 507)[];
  /** A change that names in `If-Match` the state that it is meant for, or may name it. */
  readonly condition?: 'NEEDED' | 'OPTIONAL';
  /** A change that takes an `Idempotency-Key`: repeated with the same key, it is carried out once. */
  readonly isKeyed?: boolean;
  /** Serves a session without its XSRF token. */
  readonly isXsrfExempt?: boolean;
  /** Tells a client whether it is signed in: its 401 is no refusal where the request proves nothing. */
  readonly isSessionQuery?: boolean;
  /** Asking it does not prolong the session of the request. */
  readonly isNoUseOfSession?: boolean;
  /** Serves a session whose password has to be changed first. */
  readonly isOpenToLockedSessions?: boolean;
  /** Serves a session whose identity has only a second factor left to set up. */
  readonly isOpenForEnrolment?: boolean;
  /** A 401 of this endpoint does not ask for other credentials. */
  readonly isLogin?: boolean;
  /**
   * Tells the state of the gateway and its parts, lists them, or shows how they are configured, which is what completion asks for
   * as well: its use over the local socket is not recorded. Values of devices, tag sheets, the audit and backups are no status.
   */
  readonly isStatus?: boolean;
  /** Event recorded when the operation was attempted; absent: only refusals are recorded. */
  readonly audit?: AuditEventName;
  /** Event of a request with `dryRun=true`, which does nothing; absent: that of any other. */
  readonly auditOfTrial?: AuditEventName;
}

type Nothing = Readonly<Record<string, never>>;

/** Declares an endpoint: keeps the types of its path, query, body and answer for the server and for clients. */
export function endpoint<
  const Path extends string,
  Query extends z.ZodObject = z.ZodObject<Nothing>,
  Request extends z.ZodType = z.ZodUndefined,
  Response extends z.ZodType = z.ZodUndefined,
>(declaration: Endpoint<Path, Query, Request, Response>): Endpoint<Path, Query, Request, Response> {
  return declaration;
}

/** Returns the declaration of a JSON body that is received as a whole. */
export function jsonBody<Schema extends z.ZodType>(
  schema: Schema,
  maximumBytes: number,
): RequestBody<Schema> & { readonly maximumBytes: number } {
  return { contentType: 'application/json', schema, maximumBytes };
}

/** The parameters of the path of an endpoint, by name. */
export type PathParameters<Path extends string> = {
  readonly [Name in ParameterName<Path>]: string;
};

type ParameterName<Path extends string> = Path extends `${string}/:${infer Rest}`
  ? Rest extends `${infer Name}/${infer Further}`
    ? Name | ParameterName<`/${Further}`>
    : Rest
  : never;

/** Targets of requests to an endpoint, with or without a query. */
export type TargetOf<E> = E extends Endpoint<infer Path> ? Filled<Path> | `${Filled<Path>}?${string}` : never;

type Filled<Path extends string> = Path extends `${infer Before}/:${infer Rest}`
  ? Rest extends `${string}/${infer After}`
    ? `${Before}/${string}/${Filled<After>}`
    : `${Before}/${string}`
  : Path;

/** The query of an endpoint as its operation gets it. */
export type QueryOf<E> = E extends Endpoint<string, infer Query> ? z.output<Query> : never;

/** The body of an endpoint as its operation gets it. */
export type BodyOf<E> = E extends Endpoint<string, z.ZodObject, infer Request> ? z.output<Request> : never;

/** The body of an endpoint as a client sends it. */
export type SentBody<E> =
  E extends Endpoint<string, z.ZodObject, infer Request> ? Given<z.input<Request>> : never;

/** The answer of an endpoint as its operation gives it. */
export type ResultOf<E> =
  E extends Endpoint<string, z.ZodObject, z.ZodType, infer Response> ? Given<z.output<Response>> : never;

/** The answer of an endpoint as a client receives it. */
export type AnswerOf<E> =
  E extends Endpoint<string, z.ZodObject, z.ZodType, infer Response> ? Received<z.output<Response>> : never;

/** A value that becomes JSON. */
type Given<Value> = Value extends readonly (infer Element)[]
  ? readonly Given<Element>[]
  : Value extends object
    ? { readonly [Key in keyof Value]: Given<Value[Key]> }
    : Value;

/** What a client receives where an answer has a schema. */
export type Shape<Schema extends z.ZodType> = Received<z.output<Schema>>;

/** A value that was JSON, where a member is there or absent, and a number of any size is a number. */
type Received<Value> = Value extends bigint | JsonNumber
  ? number
  : Value extends readonly (infer Element)[]
    ? readonly Received<Element>[]
    : Value extends object
      ? { readonly [Key in keyof Value]: Received<Exclude<Value[Key], undefined>> }
      : Value;

/** The parameters of the path and of the query of an endpoint as a client gives them; a list is joined with commas. */
export type ParametersOf<E> =
  E extends Endpoint<infer Path, infer Query>
    ? PathParameters<Path> & {
        readonly [Name in keyof z.input<Query>]: QueryValue;
      }
    : never;

type QueryValue = string | number | boolean | readonly string[] | undefined;

/**
 * Returns the target of a request to an endpoint.
 *
 * @throws {TypeError} when a parameter of the path is missing
 */
export function toTarget(
  { path, query }: Pick<Endpoint, 'path' | 'query'>,
  parameters: ParametersOf<Endpoint>,
): string {
  const values: Readonly<Record<string, QueryValue>> = parameters;
  const filled = path.replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new TypeError(`the path ${path} needs "${name}"`);
    return encodeURIComponent(String(value));
  });
  const given = new URLSearchParams();
  for (const name of Object.keys(query?.shape ?? {})) {
    if (values[name] !== undefined) given.set(name, String(values[name]));
  }
  return given.size === 0 ? filled : `${filled}?${given.toString()}`;
}
