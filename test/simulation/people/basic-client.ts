import type { Random } from '../world/random.ts';
import { hasPermission } from './identity-model.ts';
import { judge, unique } from './judgement.ts';
import type { PeopleWorld } from './people-world.ts';
import type { Asked, PersonRequest, RestClient } from './rest-client.ts';

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
    const mayWait = attempts.mayBeRefused(name, address, time.monotonicMs());
    const pair = `${name}:${password}`;
    const headers = { Authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
    const asked = await this.#client.ask({ ...request, headers }).catch((error: unknown) => {
      attempts.noteFailure(name, address, time.monotonicMs());
      attempts.noteProvedPair(pair, time.monotonicMs());
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
    const mayBeWrong = states.some((state) => state?.password !== password);
    if (status === 401 && mayBeWrong) attempts.noteFailure(name, address, asked.answeredMs);
    if (status === 200 || status === 403) attempts.noteAcceptedPair(pair, { ...asked, name, address });
    else if (states.some((state) => state?.password === password))
      attempts.noteProvedPair(pair, asked.answeredMs);
    return asked;
  }

  /** Asks an administrator for the password, sooner or later. */
  learnPassword(random: Random): void {
    if (random.chance(0.5))
      this.password = this.#world.identities.latest(this.#name)?.password ?? this.password;
  }
}
