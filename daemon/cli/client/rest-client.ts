import type { IncomingMessage } from 'node:http';
import { Agent as PlainAgent, request as requestPlain } from 'node:http';
import { Agent as TlsAgent, request as requestTls } from 'node:https';
import type { RequestOptions } from 'node:https';
import type { ClientRequest } from 'node:http';

import { messageOf } from '../../base/errors.ts';
import type { DocumentFault, GenericFailureReport } from '../../interface/failure.ts';
import { toTarget } from '../../interface/endpoint.ts';
import type { AnswerOf, Endpoint, ParametersOf, SentBody } from '../../interface/endpoint.ts';
import { readEvents } from './server-sent-events.ts';
import { EXPECT_CONTINUE, sendChunks, StreamedBody } from './streamed-body.ts';
import { CommandError, DocumentRefused, NotReached, Refused } from '../command-error.ts';

/** Address of a gateway and credentials of the caller. */
interface RestTarget {
  /** Path of the local socket; its users are administrators. */
  readonly socketPath?: string | undefined;
  /** Command without arguments, for the audit log; only over the socket. */
  readonly command?: string | undefined;
  /** Base address, `https://gateway:4443`; used without a socket. */
  readonly url?: URL | undefined;
  /** CA certificates of the gateway, PEM; default: those of the system. */
  readonly authorities?: string | undefined;
  /** Client certificate and its key, PEM. */
  readonly certificate?: string | undefined;
  readonly privateKey?: string | undefined;
  /** Value of the Authorization header. */
  readonly authorization?: string | undefined;
}

interface RestRequest {
  /** Sent as JSON; text, bytes and streams are sent unchanged. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Cancels the request. */
  readonly signal?: AbortSignal;
  /** True: the response may take any time. */
  readonly isEndless?: boolean;
}

export interface RestResponse {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** Parsed body; text if it is not JSON; undefined without a body. */
  readonly body: unknown;
}

type Parameters = ParametersOf<Endpoint>;
type Nothing = Readonly<Record<string, never>>;

interface WithParameters {
  readonly parameters?: Parameters;
}

interface FollowOptions {
  readonly signal: AbortSignal;
  readonly body?: unknown;
}

/** Request to an endpoint; `parameters` are those of its path and query. */
export type RequestTo<E extends Endpoint> = Omit<RestRequest, 'body'> & {
  /** A document can be given as text. */
  readonly body?: SentBody<E> | StreamedBody | string | Buffer;
} & (Nothing extends ParametersOf<E>
    ? { readonly parameters?: ParametersOf<E> }
    : { readonly parameters: ParametersOf<E> });

/** Response of an endpoint. */
export interface ResponseOf<E extends Endpoint> extends RestResponse {
  /** Not validated: a gateway of another release may declare the endpoint differently. */
  readonly body: AnswerOf<E>;
}

type Arguments<E extends Endpoint> =
  Nothing extends ParametersOf<E>
    ? [parameters?: ParametersOf<E>, body?: SentBody<E>]
    : [parameters: ParametersOf<E>, body?: SentBody<E>];

/** Sends requests to a gateway. */
export interface RestClient {
  /**
   * Calls an endpoint and returns the response body.
   *
   * @throws as `send` does
   */
  call<E extends Endpoint>(endpoint: E, ...request: Arguments<E>): Promise<AnswerOf<E>>;
  /**
   * Calls an endpoint with request and response headers.
   *
   * @throws as `send` does
   */
  exchange<E extends Endpoint>(endpoint: E, request: RequestTo<E>): Promise<ResponseOf<E>>;
  /**
   * Calls an endpoint that responds with an event stream and yields the events; ends if the signal aborts.
   *
   * @throws as `send` does
   * @throws {SyntaxError} if the data of an event is not JSON
   */
  follow<E extends Endpoint>(
    endpoint: E,
    request: RequestTo<E> & { readonly signal: AbortSignal },
  ): AsyncIterable<AnswerOf<E>>;
  /**
   * Sends one request.
   *
   * @param path absolute path with query
   * @throws {NotReached} without a response
   * @throws {Refused} for 401 and 403
   * @throws {CommandError} for other statuses from 400 on, with the message of the gateway
   */
  send(method: string, path: string, request?: RestRequest): Promise<RestResponse>;
  /**
   * Sends a GET, or a POST with a body, and yields the chunks of an event stream; ends if the signal aborts.
   *
   * @throws as `send` does
   */
  stream(path: string, signal: AbortSignal, body?: unknown): AsyncIterable<string>;
}

const TIMEOUT_MS = 120_000;
// Requests all members of records, independent of the setting `recordDetails`.
const PREFERENCES = { Prefer: 'record-details' };

/** Creates a client; sends nothing yet. */
export function createRestClient(target: RestTarget): RestClient {
  // One connection for all requests, which the audit log records as one event.
  const Agent = target.socketPath === undefined && target.url?.protocol === 'https:' ? TlsAgent : PlainAgent;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return addCalls({
    async send(method, path, { body, headers = {}, signal, isEndless = false } = {}) {
      const content = toContent(body);
      const response = await open(target, method, path, {
        content,
        agent,
        isEndless,
        ...(signal === undefined ? {} : { signal }),
        headers:
          content === undefined
            ? headers
            : { ...content.type, ...headers, 'Content-Length': String(content.sizeBytes) },
      });
      const text = await readAll(response);
      const parsed = { status: response.statusCode ?? 0, headers: response.headers, body: parse(text) };
      refuse(parsed);
      return parsed;
    },
    async *stream(path, signal, body) {
      const content = toContent(body);
      const accept = { Accept: 'text/event-stream' };
      const response = await open(target, content === undefined ? 'GET' : 'POST', path, {
        content,
        headers:
          content === undefined
            ? accept
            : { ...content.type, ...accept, 'Content-Length': String(content.sizeBytes) },
        signal,
        isEndless: true,
      });
      if (response.statusCode !== 200) {
        refuse({ status: response.statusCode ?? 0, headers: {}, body: parse(await readAll(response)) });
      }
      response.setEncoding('utf8');
      try {
        for await (const chunk of response) yield chunk as string;
      } catch (error) {
        if (!signal.aborted) throw error;
      }
    },
  });
}

/** Adds the calls of endpoints to a client that sends requests. */
export function addCalls({ send, stream }: Pick<RestClient, 'send' | 'stream'>): RestClient {
  function exchange<E extends Endpoint>(endpoint: E, request: RequestTo<E>): Promise<ResponseOf<E>>;
  function exchange(endpoint: Endpoint, given: RestRequest & WithParameters): Promise<unknown> {
    const { parameters = {}, ...request } = given;
    return send(endpoint.method, toTarget(endpoint, parameters), request);
  }
  async function call<E extends Endpoint>(endpoint: E, ...request: Arguments<E>): Promise<AnswerOf<E>>;
  async function call(endpoint: Endpoint, parameters: Parameters = {}, body?: unknown): Promise<unknown> {
    return (await exchange(endpoint, { parameters, ...(body === undefined ? {} : { body }) })).body;
  }
  function follow<E extends Endpoint>(
    endpoint: E,
    request: RequestTo<E> & { readonly signal: AbortSignal },
  ): AsyncIterable<AnswerOf<E>>;
  function follow(
    endpoint: Endpoint,
    { parameters = {}, signal, body }: FollowOptions & WithParameters,
  ): AsyncIterable<unknown> {
    return readEvents(stream(toTarget(endpoint, parameters), signal, body));
  }
  return { send, stream, exchange, call, follow };
}

interface Content {
  readonly type: Readonly<Record<string, string>>;
  readonly sizeBytes: number;
  readonly send: (outgoing: ClientRequest) => void;
}

function toContent(body: unknown): Content | undefined {
  if (body === undefined) return undefined;
  if (body instanceof StreamedBody) {
    const { sizeBytes, chunks } = body;
    return { type: EXPECT_CONTINUE, sizeBytes, send: (outgoing) => sendChunks(outgoing, chunks) };
  }
  const isJson = typeof body !== 'string' && !Buffer.isBuffer(body);
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(isJson ? JSON.stringify(body) : String(body));
  const type: Content['type'] = isJson ? { 'Content-Type': 'application/json' } : {};
  return { type, sizeBytes: bytes.length, send: (outgoing) => outgoing.end(bytes) };
}

interface Sending {
  readonly headers: Readonly<Record<string, string>>;
  readonly content?: Content | undefined;
  readonly signal?: AbortSignal;
  /** Reuses its connection; default: a new one. */
  readonly agent?: PlainAgent;
  /** True: no timeout between chunks. */
  readonly isEndless?: boolean;
}

function open(target: RestTarget, method: string, path: string, sending: Sending): Promise<IncomingMessage> {
  const { socketPath, url, authorization, command } = target;
  const headers = {
    ...PREFERENCES,
    ...(socketPath === undefined || command === undefined ? {} : { 'X-Penstock-Command': command }),
    ...(authorization === undefined ? {} : { Authorization: authorization }),
    ...sending.headers,
  };
  const { signal } = sending;
  const common: RequestOptions = {
    method,
    path,
    headers,
    agent: sending.agent ?? false,
    ...(signal === undefined ? {} : { signal }),
  };
  return new Promise((resolve, reject) => {
    const onError = (error: Error): void => reject(toNotReached(target, error));
    const outgoing =
      socketPath !== undefined
        ? requestPlain({ ...common, socketPath, host: 'localhost' }, resolve)
        : url?.protocol === 'http:'
          ? requestPlain({ ...common, host: toHost(url), port: url.port || 80 }, resolve)
          : requestTls({ ...common, ...toTls(target) }, resolve);
    outgoing.on('error', onError);
    if (sending.isEndless !== true)
      outgoing.setTimeout(TIMEOUT_MS, () => outgoing.destroy(new Error('no response in time')));
    if (sending.content === undefined) outgoing.end();
    else sending.content.send(outgoing);
  });
}

function toTls({ url, authorities, certificate, privateKey }: RestTarget): RequestOptions {
  return {
    host: url === undefined ? 'localhost' : toHost(url),
    port: url?.port || 443,
    ...(authorities === undefined ? {} : { ca: authorities }),
    ...(certificate === undefined ? {} : { cert: certificate }),
    ...(privateKey === undefined ? {} : { key: privateKey }),
  };
}

function toHost({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

async function readAll(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function parse(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text, keepDigits);
  } catch {
    return text;
  }
}

// A 64-bit number has more digits than a double; it is printed as received (ECMAScript, JSON.rawJSON).
function keepDigits(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const isExact = typeof value !== 'number' || !Number.isInteger(value) || Number.isSafeInteger(value);
  return isExact || context?.source === undefined ? value : rawJson(context.source);
}

const rawJson = (JSON as unknown as { readonly rawJSON: (text: string) => unknown }).rawJSON;

function refuse({ status, body }: RestResponse): void {
  if (status < 400) return;
  // A response of an intermediary has none of it.
  const { message, faults } = (body ?? {}) as Partial<GenericFailureReport>;
  const detail = describeFaults(faults ?? [], message ?? `the gateway responded with status ${status}`);
  if (status === 401 || status === 403) throw new Refused({ code: 'REFUSED', detail });
  const code = `STATUS_${status}` as const;
  throw faults === undefined
    ? new CommandError({ code, detail })
    : new DocumentRefused({ code, detail, faults });
}

/** Returns the message of a response with its errors, each with the name of its item instead of the number. */
function describeFaults(faults: readonly DocumentFault[], message: string): string {
  const texts = faults.map((fault) => `${placeOf(fault)}: ${fault.message}`);
  // The message already contains a single one.
  if (faults.every(({ item }) => item === undefined))
    return texts.length < 2 ? message : [message, ...texts].join('\n  ');
  return texts.length === 1 ? texts.join('') : ['the document has errors:', ...texts].join('\n  ');
}

function placeOf({ path, item }: DocumentFault): string {
  if (item === undefined) return path;
  const key = path.replace(/^[^[]*\[\d+\]\.?/, '');
  return key === '' ? item : `${item}: ${key}`;
}

function toNotReached({ socketPath, url }: RestTarget, cause: Error): NotReached {
  const target = socketPath ?? url?.origin ?? '';
  const code = (cause as { readonly code?: unknown }).code;
  const hint = HINTS[String(code)] ?? '';
  const detail = `no response from ${target}: ${messageOf(cause)}${hint}`;
  return new NotReached({ code: 'NOT_REACHED', detail, cause });
}

const HINTS: Readonly<Record<string, string>> = {
  ENOENT: '; is the service running? ("systemctl status penstock")',
  EACCES: '; only root and the group penstock can open the local socket',
  DEPTH_ZERO_SELF_SIGNED_CERT: '; specify the certificate of the gateway with --ca',
  SELF_SIGNED_CERT_IN_CHAIN: '; specify the authority of the certificate with --ca',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: '; specify the authority of the certificate with --ca',
};
