import { judge } from './judgement.ts';
import type { PeopleWorld } from './people-world.ts';
import type { Asked, PersonRequest, RestClient } from './rest-client.ts';

const JSON_TYPE = { 'Content-Type': 'application/json' };

/** What an administrator asks for. */
export interface RootRequest extends Pick<PersonRequest, 'method' | 'path'> {
  /** Sent as JSON. */
  readonly body?: unknown;
}

interface RootClientOptions {
  readonly who: string;
  readonly client: RestClient;
  /** Of an identity that nobody changes. */
  readonly credentials: { readonly name: string; readonly password: string };
}

/** Asks as an administrator whose credentials are always right. */
export class RootClient {
  readonly #world: PeopleWorld;
  readonly #options: RootClientOptions;

  constructor(world: PeopleWorld, options: RootClientOptions) {
    this.#world = world;
    this.#options = options;
  }

  /** Asks; undefined: refused, which is checked as well. @param statuses that are right, apart from those of a gateway that stops */
  async ask({ body, ...request }: RootRequest, statuses: readonly number[]): Promise<Asked | undefined> {
    const { who, client, credentials } = this.#options;
    const authorization = toBasic(credentials);
    const headers = { authorization, ...(body === undefined ? {} : JSON_TYPE) };
    const text = body === undefined ? {} : { body: JSON.stringify(body) };
    const asked = await client.ask({ ...request, ...text, headers, actor: credentials.name });
    judge(this.#world, asked, { who, what: `${request.method} ${request.path}`, statuses });
    return statuses.includes(asked.answer.status) ? asked : undefined;
  }

  /** Removes an identity, and creates it anew with a password and the right to read; false: it did not come to that. */
  async makeAnew(name: string, password: string): Promise<boolean> {
    const path = IDENTITIES;
    const gone = await this.ask({ method: 'DELETE', path, body: { userName: name } }, [200, 404]);
    if (gone === undefined) return false;
    const body = { userName: name, password, passwordChangeNeeded: false, permissions: ['rest.assets.read'] };
    return (await this.ask({ method: 'POST', path, body }, [200])) !== undefined;
  }
}

const IDENTITIES = '/services/identity/v1/identities';

/** Returns BASIC credentials as a header field has them. */
export function toBasic({ name, password }: { readonly name: string; readonly password: string }): string {
  return `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;
}
