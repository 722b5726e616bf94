import { Agent } from 'node:https';

import { clientAuthPort, httpsPort } from '../bench/plant.ts';
import { getClientCertificate } from '../support/certificate-authority.ts';
import type { RunningGateway } from '../support/gateway.ts';
import { SessionClient } from '../support/https-client.ts';
import type { ClientAnswer, ClientOptions, ClientRequest } from '../support/https-client.ts';
import type { Owner } from '../support/temporary-directory.ts';
import type { Counterparts } from './counterparts.ts';
import { expectStatus } from './expect.ts';
import type { IDENTITIES } from './plant.ts';

type Name = keyof typeof IDENTITIES;

/** What actors share: the gateway, the devices, and ways to reach the gateway. */
export class Ground {
  readonly owner: Owner;
  readonly gateway: RunningGateway;
  readonly counterparts: Counterparts;

  constructor(owner: Owner, gateway: RunningGateway, counterparts: Counterparts) {
    this.owner = owner;
    this.gateway = gateway;
    this.counterparts = counterparts;
  }

  /** Returns a client without credentials; each request has a connection of its own unless `isKept`. */
  plain(isKept = false): ClientOptions {
    return { port: httpsPort(this.gateway), ...(isKept ? { agent: this.#keepConnection() } : {}) };
  }

  /** Returns a client that shows the certificate of an identity. */
  async withCertificate(name: Name, isKept = false): Promise<ClientOptions> {
    const pair = await getClientCertificate(name);
    const agent = isKept ? { agent: this.#keepConnection() } : {};
    return { port: clientAuthPort(this.gateway), ...pair, ...agent };
  }

  /** Logs in, over a connection that is kept. */
  async openSession({ name, password }: (typeof IDENTITIES)[Name]): Promise<SessionClient> {
    const client = new SessionClient(this.plain(true));
    expectStatus(await client.login(name, password), 200);
    return client;
  }

  #keepConnection(): Agent {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    this.owner.after(() => agent.destroy());
    return agent;
  }
}

/** A session of one or several actors that is opened again when it has ended. */
export class LastingSession {
  readonly #ground: Ground;
  readonly #identity: (typeof IDENTITIES)[Name];
  #client: Promise<SessionClient> | undefined;

  constructor(ground: Ground, identity: (typeof IDENTITIES)[Name]) {
    this.#ground = ground;
    this.#identity = identity;
  }

  async send(method: string, path: string, request: ClientRequest = {}): Promise<ClientAnswer> {
    const used = this.#open();
    const answer = await (await used).send(method, path, request);
    if (answer.status !== 401) return answer;
    // Another actor may have opened it again by now.
    if (this.#client === used) this.#client = undefined;
    return (await this.#open()).send(method, path, request);
  }

  #open(): Promise<SessionClient> {
    this.#client ??= this.#ground.openSession(this.#identity).catch((error: unknown) => {
      this.#client = undefined;
      throw error;
    });
    return this.#client;
  }
}

/** Returns the head field of BASIC credentials. */
export function basic({ name, password }: (typeof IDENTITIES)[Name]): Readonly<Record<string, string>> {
  return { Authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}` };
}
