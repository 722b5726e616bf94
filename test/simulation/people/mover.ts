import { delay } from '../../../daemon/base/clock.ts';
import type { Clock } from '../../../daemon/base/clock.ts';
import type { Answer } from '../http/answer-parser.ts';
import type { RestRequest } from '../http/rest-connection.ts';
import type { Chronicle } from '../world/chronicle.ts';
import type { KeptGateway } from '../world/kept-gateway.ts';
import type { AskingClient } from './asking-client.ts';
import { PackageClient } from './package-client.ts';

interface MoverParts {
  /** Of an administrator who is in every world. */
  readonly client: AskingClient;
  readonly time: Clock;
  readonly chronicle: Chronicle;
  /** What the configuration has when a world begins. */
  readonly sections: Readonly<Record<string, unknown>>;
  /** Identities that stay. */
  readonly residents: readonly string[];
}

/** What a gateway has when it is about to be stopped. */
type Belongings = Pick<KeptGateway, 'newestEventId' | 'newestSnapshotId'>;

const WHO = 'mover';
const CONFIGURATION = '/services/configuration/v1';
const IDENTITIES = '/services/identity/v1/identities';
const EVENTS = '/services/audit/v1/events';
const JSON_TYPE = { 'content-type': 'application/json' };
// The gateway may be starting, or the last request still be at work.
const RETRY_MS = 3000;
const LATER = new Set([409, 412, 429, 503]);
// A gateway that refuses more often never accepts.
const MOST_TRIES = 200;

/**
 * Takes a gateway from one world to the next: removes what clients of the one have left, and brings the devices of the other.
 * What is about the past stays: the audit log, snapshots, recorded samples, cursors, used tokens.
 */
export class Mover {
  readonly #parts: MoverParts;

  constructor(parts: MoverParts) {
    this.#parts = parts;
  }

  /** Configures the devices of a world, and checks `past-kept`. */
  async moveIn(past: Belongings): Promise<void> {
    this.#compare(past, await this.#readBelongings());
    await this.#configure(this.#parts.sections);
    this.#parts.client.close();
  }

  /** Removes devices, packages and identities. @returns what has to be there in the next world */
  async moveOut(): Promise<Belongings> {
    const { client, time, residents } = this.#parts;
    await this.#configure({ drivers: [], assets: [], recorders: [], bundles: [] });
    const packages = new PackageClient(client, time);
    const installed = JSON.parse(
      (await this.#ask({ method: 'GET', path: '/services/deploy/v2' })).body,
    ) as readonly { readonly name: string }[];
    for (const { name } of installed) {
      const requested = await packages.remove(name);
      const ended = requested.kind === 'OPERATION' ? await packages.awaitEnd(requested.id) : undefined;
      if (ended?.state !== 'COMPLETED')
        this.#break(`${name} was not removed: ${JSON.stringify(ended ?? requested)}`);
    }
    const { userConfig } = JSON.parse((await this.#ask({ method: 'GET', path: IDENTITIES })).body) as {
      readonly userConfig: readonly { readonly userName: string }[];
    };
    for (const { userName } of userConfig.filter((identity) => !residents.includes(identity.userName))) {
      const body = JSON.stringify({ userName });
      await this.#ask({ method: 'DELETE', path: IDENTITIES, headers: JSON_TYPE, body });
    }
    const belongings = await this.#readBelongings();
    client.close();
    return belongings;
  }

  async #readBelongings(): Promise<Belongings> {
    const { events } = JSON.parse((await this.#ask({ method: 'GET', path: `${EVENTS}?limit=1` })).body) as {
      readonly events: readonly { readonly id: number }[];
    };
    const { snapshots } = JSON.parse(
      (await this.#ask({ method: 'GET', path: `${CONFIGURATION}/snapshots` })).body,
    ) as { readonly snapshots: readonly { readonly id: number }[] };
    return {
      newestEventId: events[0]?.id ?? 0,
      newestSnapshotId: Math.max(0, ...snapshots.map(({ id }) => id)),
    };
  }

  #compare(past: Belongings, present: Belongings): void {
    if (present.newestEventId < past.newestEventId)
      this.#breakPast(`the audit log ends with ${present.newestEventId}, and had ${past.newestEventId}`);
    if (present.newestSnapshotId < past.newestSnapshotId)
      this.#breakPast(`the last snapshot is ${present.newestSnapshotId}, and was ${past.newestSnapshotId}`);
  }

  async #configure(sections: Readonly<Record<string, unknown>>): Promise<void> {
    await this.#ask(async () => {
      const shown = await this.#ask({ method: 'GET', path: CONFIGURATION });
      return {
        method: 'PUT',
        path: CONFIGURATION,
        headers: { ...JSON_TYPE, 'if-match': shown.headers['etag'] ?? '' },
        body: JSON.stringify({ ...(JSON.parse(shown.body) as object), ...sections }),
      };
    });
  }

  /** Asks until the gateway answers that it is done. */
  async #ask(request: RestRequest | (() => Promise<RestRequest>)): Promise<Answer> {
    const { client, time, chronicle } = this.#parts;
    let last = 'no answer';
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const asked = typeof request === 'function' ? await request() : request;
      const answer = await client.ask(asked);
      last = `${asked.method} ${asked.path}: ${answer?.status} ${answer?.body.slice(0, 500)}`;
      // Without the body: the hashes of the audit log differ between two runs of a seed.
      chronicle.note(WHO, `${asked.method} ${asked.path}: ${answer?.status}`);
      if (answer?.status === 200 || answer?.status === 204) return answer;
      if (answer !== undefined && !LATER.has(answer.status)) break;
      await delay(time, RETRY_MS);
    }
    this.#break(last);
    throw new Error(last);
  }

  #break(text: string): void {
    this.#parts.chronicle.break('answer-shape', `${WHO}: ${text}`);
  }

  #breakPast(text: string): void {
    this.#parts.chronicle.break('past-kept', text);
  }
}
