import { delay } from '../../../daemon/base/clock.ts';
import type { Clock } from '../../../daemon/base/clock.ts';
import type { Answer } from '../http/answer-parser.ts';
import type { RestRequest } from '../http/rest-connection.ts';
import type { AskingClient } from './asking-client.ts';

/** An operation on packages as the gateway shows it. */
export interface ShownOperation {
  readonly id: string;
  readonly operation: 'INSTALL' | 'UNINSTALL';
  readonly state: 'QUEUED' | 'RUNNING' | 'COMPLETED' | 'FAILED';
  readonly errorCode?: number;
  readonly message?: string;
}

/** What became of a request: an operation, a refusal, or nothing that the gateway knows of. */
export type Requested =
  | { readonly kind: 'OPERATION'; readonly id: string }
  | { readonly kind: 'REFUSED'; readonly answer: Answer }
  | { readonly kind: 'LOST' };

const ROOT = '/services/deploy/v2';
const BOUNDARY = 'boundary-of-the-world';
const PAUSE_MS = 3000;

/** Asks for operations on packages, and waits for them, also while the gateway ends and starts again. */
export class PackageClient {
  readonly #client: AskingClient;
  readonly #time: Clock;
  #known: ReadonlySet<string> = new Set();

  constructor(client: AskingClient, time: Clock) {
    this.#client = client;
    this.#time = time;
  }

  upload(content: Buffer): Promise<Requested> {
    const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a.dp"\r\n\r\n`;
    const body = Buffer.concat([Buffer.from(head), content, Buffer.from(`\r\n--${BOUNDARY}--\r\n`)]);
    const headers = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };
    return this.#request({ method: 'POST', path: `${ROOT}/_upload`, headers, body });
  }

  install(url: string): Promise<Requested> {
    const headers = { 'content-type': 'application/json' };
    return this.#request({
      method: 'POST',
      path: `${ROOT}/_install`,
      headers,
      body: JSON.stringify({ url }),
    });
  }

  remove(name: string): Promise<Requested> {
    return this.#request({ method: 'DELETE', path: `${ROOT}/${name}` });
  }

  /** Restarts a bundle; undefined without an answer. */
  restart(bundle: string): Promise<Answer | undefined> {
    return this.#client.ask({ method: 'POST', path: `${ROOT}/_bundles/${bundle}/_restart` });
  }

  /** Lists the packages; undefined without an answer. */
  list(): Promise<Answer | undefined> {
    return this.#client.ask({ method: 'GET', path: ROOT });
  }

  /** Waits until an operation has ended. */
  async awaitEnd(id: string): Promise<ShownOperation> {
    for (;;) {
      const found = (await this.#listOperations()).find((operation) => operation.id === id);
      if (found === undefined) throw new Error(`the operation ${id} is gone`);
      if (found.state === 'COMPLETED' || found.state === 'FAILED') return found;
      await delay(this.#time, PAUSE_MS);
    }
  }

  async #request(request: RestRequest): Promise<Requested> {
    this.#known = new Set((await this.#listOperations()).map(({ id }) => id));
    const answer = await this.#client.ask(request);
    if (answer === undefined) return this.#findLost();
    if (answer.status !== 200) return { kind: 'REFUSED', answer };
    const id = answer.headers['location']?.slice(`${ROOT}/_status/`.length) ?? '';
    return { kind: 'OPERATION', id };
  }

  /** Returns the operation to a request without an answer, if the gateway has taken it. */
  async #findLost(): Promise<Requested> {
    await delay(this.#time, PAUSE_MS);
    const found = (await this.#listOperations()).find(({ id }) => !this.#known.has(id));
    return found === undefined ? { kind: 'LOST' } : { kind: 'OPERATION', id: found.id };
  }

  /** Asks until the gateway answers. */
  async #listOperations(): Promise<readonly ShownOperation[]> {
    for (;;) {
      const answer = await this.#client.ask({ method: 'GET', path: `${ROOT}/_status` });
      if (answer?.status === 200) return JSON.parse(answer.body) as readonly ShownOperation[];
      await delay(this.#time, PAUSE_MS);
    }
  }
}
