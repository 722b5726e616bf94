import { BrokenAnswer } from '../http/answer-parser.ts';
import type { Answer } from '../http/answer-parser.ts';
import { ConnectionEnded } from '../http/rest-connection.ts';
import type { RestConnection, RestRequest } from '../http/rest-connection.ts';
import { findShapeFault } from './answer-shape.ts';
import { auditOf } from './audit-model.ts';
import type { Period } from './identity-model.ts';
import type { PeopleWorld, Place, PortKind } from './people-world.ts';

/** A request of a person. */
export interface PersonRequest extends RestRequest {
  /** The identity that acts when the request succeeds, as the audit has to name it. */
  readonly actor?: string | undefined;
}

/** An answer, and when it was asked for and given. */
export interface Asked extends Period {
  readonly answer: Answer;
  readonly requestId: string;
  /** The run of the gateway that answered. */
  readonly run: number;
  /** What the clock of the gateway said then. */
  readonly askedEpochMs: number;
  readonly answeredEpochMs: number;
}

interface RestClientOptions {
  readonly who: string;
  readonly kind: PortKind;
  readonly place: Place;
}

/** No answer takes longer, whatever others do. */
const ANSWER_LIMIT_MS = 60_000;

/** Asks one thing after the other, over a connection that it keeps; checks the form of every answer. */
export class RestClient {
  readonly #world: PeopleWorld;
  readonly #options: RestClientOptions;
  #connection: RestConnection | undefined;
  #count = 0;

  constructor(world: PeopleWorld, options: RestClientOptions) {
    this.#world = world;
    this.#options = options;
  }

  /** The address that the gateway sees. */
  get address(): string {
    return this.#options.place.address;
  }

  /**
   * Asks, and notes what the audit has to show.
   *
   * @throws {ConnectionEnded} nobody knows then whether the request was carried out
   * @throws {BrokenAnswer}
   */
  async ask(request: PersonRequest): Promise<Asked> {
    const { time, chronicle, gateway } = this.#world;
    const { who } = this.#options;
    this.#count += 1;
    const requestId = `${who}-${this.#count}`;
    const connection = this.#connect();
    const askedMs = time.monotonicMs();
    const askedEpochMs = gateway.epochMs();
    const cancel = time.schedule(ANSWER_LIMIT_MS, () => {
      chronicle.break('answer-shape', `${who}: ${request.method} ${request.path} has no answer in 60 s`);
      connection.reset();
    });
    try {
      const headers = { ...request.headers, 'X-Request-Id': requestId };
      const answer = await connection.request({ ...request, headers });
      const answeredMs = time.monotonicMs();
      const answeredEpochMs = gateway.epochMs();
      const run = gateway.run();
      const asked = { answer, requestId, askedMs, answeredMs, askedEpochMs, answeredEpochMs, run };
      this.#check(request, asked);
      return asked;
    } catch (error) {
      this.#note(request, error);
      throw error;
    } finally {
      cancel();
    }
  }

  close(): void {
    this.#connection?.close();
    this.#connection = undefined;
  }

  #connect(): RestConnection {
    const { kind, place } = this.#options;
    if (this.#connection?.isOpen !== true) this.#connection = this.#world.connect(kind, place);
    return this.#connection;
  }

  #check({ method, path, actor }: PersonRequest, asked: Asked): void {
    const { chronicle, audit } = this.#world;
    const { who } = this.#options;
    const { answer, requestId, askedMs, answeredMs } = asked;
    const { status } = answer;
    chronicle.note(who, `${method} ${path} ${status}`);
    const fault = findShapeFault(answer, requestId);
    if (fault !== undefined)
      chronicle.break(status === 500 ? 'no-defect' : 'answer-shape', `${who}: ${method} ${path}: ${fault}`);
    const audited = auditOf(method, path.split('?', 1)[0] ?? '', status);
    if (audited === undefined) return;
    const identity = audited.outcome === 'SUCCESS' ? actor : undefined;
    audit.expect({
      requestId,
      address: this.address,
      status,
      askedMs,
      answeredMs,
      identity,
      ...audited,
    });
  }

  #note({ method, path }: PersonRequest, error: unknown): void {
    const { chronicle } = this.#world;
    const { who } = this.#options;
    if (error instanceof BrokenAnswer)
      chronicle.break('answer-shape', `${who}: ${method} ${path}: ${error.message}`);
    else if (error instanceof ConnectionEnded)
      chronicle.note(who, `${method} ${path} without answer: ${error.reason}`);
    this.#connection = undefined;
  }
}
