import type { Random } from '../world/random.ts';
import { hasPermission } from './identity-model.ts';
import { judge, unique } from './judgement.ts';
import type { PeopleWorld } from './people-world.ts';
import type { Asked, PersonRequest, RestClient } from './rest-client.ts';

// A right pair is not checked again for so long, and clears no failures then.
const REMEMBERED_MS = 61_000;

interface BasicRequest extends Omit<PersonRequest, 'headers'> {
  readonly permission: string | undefined;
  /** Answered with 403 instead of 401 while the password has to be changed. */
  readonly isOpenToLocked?: boolean;
}

/** Sends requests with BASIC credentials, and checks whether they are let in as they have to be. */
export class BasicClient {
  readonly #world: PeopleWorld;
  readonly #who: string;
  readonly #client: RestClient;
  readonly #name: string;
  password = '';
  #provedMs = -Infinity;

  constructor(world: PeopleWorld, who: string, client: RestClient, name: string) {
    this.#world = world;
    this.#who = who;
    this.#client = client;
    this.#name = name;
  }

  async ask(request: BasicRequest, password = this.password): Promise<Asked> {
    const { attempts, identities, time } = this.#world;
    const { address } = this.#client;
    const name = this.#name;
    const startMs = time.monotonicMs();
    const mayWait = attempts.mayBeRefused(name, address, startMs);
    const headers = {
      Authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`,
    };
    const asked = await this.#client.ask({ ...request, headers }).catch((error: unknown) => {
      attempts.noteFailure(name, address, time.monotonicMs());
      throw error;
    });
    const { status } = asked.answer;
    const states = identities.during(name, asked);
    const statuses = states.map((state) => {
      if (state === undefined || state.password !== password) return 401;
      if (state.isChangeNeeded) return request.isOpenToLocked === true ? 403 : 401;
      return hasPermission(state, request.permission) ? 200 : 403;
    });
    const what = `${request.path} with BASIC of ${name}`;
    judge(this.#world, asked, {
      who: this.#who,
      what,
      statuses: unique(mayWait ? [...statuses, 429] : statuses),
    });
    const isWrong = states.every((state) => state?.password !== password);
    if (status === 401 && isWrong) attempts.noteFailure(name, address, asked.answeredMs);
    if (status === 200 && startMs - this.#provedMs > REMEMBERED_MS) {
      this.#provedMs = asked.answeredMs;
      attempts.noteSuccess(name, address);
    }
    return asked;
  }

  /** Asks an administrator for the password, sooner or later. */
  learnPassword(random: Random): void {
    if (random.chance(0.5))
      this.password = this.#world.identities.latest(this.#name)?.password ?? this.password;
  }
}
