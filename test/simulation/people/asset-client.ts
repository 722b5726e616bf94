import type { Answer } from '../http/answer-parser.ts';
import type { ReceivedEvent } from '../http/event-parser.ts';
import { ConnectionEnded } from '../http/rest-connection.ts';
import type { RestConnection, RestRequest } from '../http/rest-connection.ts';
import type { RestValue } from '../world/truth.ts';

/** Opens a connection; it may end at once, when the gateway does not listen. */
export type Connect = () => RestConnection;

/** Receives what a stream brings. */
export interface StreamEvents {
  readonly onEvent: (event: ReceivedEvent) => void;
  /** The stream ended, or never began: then with the answer, when there was one. */
  readonly onEnd: (answer: Answer | undefined) => void;
}

/** One record of a read or write, as the REST interface gives it. */
export interface RestRecord {
  readonly channelStatus: {
    readonly channelFlag: 'SUCCESS' | 'FAILURE';
    readonly exceptionMessage?: string;
  };
  readonly name: string;
  readonly valueType?: string;
  readonly value?: RestValue;
  readonly timestamp: number;
  readonly quality?: string;
  readonly statusCode?: string;
  /** Of a write. */
  readonly outcome?: string;
  readonly readBack?: RestValue;
  readonly dryRun?: boolean;
}

/** Speaks to the gateway over one connection that is opened again when it ended. */
export class AssetClient {
  readonly #connect: Connect;
  readonly #headers: Readonly<Record<string, string>>;
  #connection: RestConnection | undefined;

  constructor(connect: Connect, headers: Readonly<Record<string, string>>) {
    this.#connect = connect;
    this.#headers = headers;
  }

  /**
   * Asks; undefined when there is no gateway, or the connection ended before the answer.
   *
   * @throws {BrokenAnswer} when the answer is not HTTP
   */
  async ask(request: RestRequest): Promise<Answer | undefined> {
    const connection = this.#open();
    try {
      return await connection.request(this.#withHeaders(request));
    } catch (error) {
      connection.close();
      if (error instanceof ConnectionEnded) return undefined;
      throw error;
    }
  }

  /** Opens a stream of events on the connection. */
  stream(request: RestRequest, { onEvent, onEnd }: StreamEvents): void {
    const connection = this.#open();
    const opened = connection.openStream(this.#withHeaders(request), {
      onEvent,
      onEnd: () => onEnd(undefined),
    });
    opened.then(
      (answer) => {
        if (answer.status !== 200) onEnd(answer);
      },
      () => onEnd(undefined),
    );
  }

  /** The connection that was opened last. */
  get connection(): RestConnection | undefined {
    return this.#connection;
  }

  #open(): RestConnection {
    if (this.#connection?.isOpen !== true) this.#connection = this.#connect();
    return this.#connection;
  }

  close(): void {
    this.#connection?.close();
    this.#connection = undefined;
  }

  #withHeaders(request: RestRequest): RestRequest {
    return { ...request, headers: { ...this.#headers, ...request.headers } };
  }
}

/** Returns the records of an answer; undefined when it does not have the documented form. */
export function parseRecords(body: string): readonly RestRecord[] | undefined {
  let parsed: unknown;
  try {
    // Looking at each value costs more than all the rest.
    parsed = /\d{16}/.test(body) ? JSON.parse(body, keepDigits) : JSON.parse(body);
  } catch {
    return undefined;
  }
  return Array.isArray(parsed) && parsed.every(isRecord) ? parsed : undefined;
}

// A number keeps every digit, as clients need it for LONG.
function keepDigits(_key: string, value: unknown, context?: { readonly source: string }): unknown {
  const isLong = typeof value === 'number' && !Number.isSafeInteger(value);
  return isLong && /^-?\d+$/.test(context?.source ?? '') ? context?.source : value;
}

function isRecord(item: unknown): item is RestRecord {
  if (typeof item !== 'object' || item === null) return false;
  const { channelStatus, name, value, timestamp } = item as Partial<RestRecord>;
  const flag = channelStatus?.channelFlag;
  if (typeof name !== 'string' || typeof timestamp !== 'number') return false;
  if (flag === 'FAILURE') return typeof channelStatus?.exceptionMessage === 'string';
  return flag === 'SUCCESS' && ['number', 'string', 'boolean'].includes(typeof value);
}
