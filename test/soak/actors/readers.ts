import { readPath } from '../../bench/plant.ts';
import { send } from '../../support/https-client.ts';
import type { Actor } from '../crew.ts';
import { expectRecords, expectStatus, expectValues } from '../expect.ts';
import { basic, LastingSession } from '../ground.ts';
import type { Ground } from '../ground.ts';
import { CHANNELS, IDENTITIES } from '../plant.ts';

/** What the channels of the Modbus devices hold: integers their offset, the others a tenth of it. */
const REGISTERS = Object.fromEntries(
  Array.from({ length: CHANNELS / 2 }, (_, index) => [
    `channel${String(index * 2).padStart(5, '0')}`,
    index * 2,
  ]),
);
const NODES = { int32: -2_147_483_648, double: 0.1, string: 'Kessel' };

/** Half of the time that an access token is valid. */
const RENEW_MS = 30_000;

interface TokenPair {
  readonly accessToken: string;
  readonly refreshToken: string;
}

/** Those who read values, each with other credentials. */
export async function createReaders(ground: Ground): Promise<readonly Actor[]> {
  const session = new LastingSession(ground, IDENTITIES.operator);
  const bearer = new TokenReader(ground);
  const certified = await ground.withCertificate('scada', true);
  const coming = await ground.withCertificate('scada');
  return [
    {
      name: 'session reader',
      pauseMs: 100,
      async step() {
        expectValues(expectRecords(await session.send('GET', readPath('plant'))), REGISTERS);
      },
    },
    { name: 'bearer reader', pauseMs: 100, step: () => bearer.read() },
    { name: 'token refresh', pauseMs: 3000, step: () => bearer.refresh() },
    {
      name: 'BASIC reader',
      pauseMs: 500,
      async step() {
        const names = ['channel00002', 'channel00003'];
        const request = { headers: basic(IDENTITIES.operator), body: { channels: names } };
        const answer = await send(ground.plain(), 'POST', readPath('plant'), request);
        expectValues(expectRecords(answer), REGISTERS);
      },
    },
    {
      name: 'certificate reader',
      pauseMs: 100,
      async step() {
        expectValues(expectRecords(await send(certified, 'GET', readPath('server'))), NODES);
      },
    },
    {
      name: 'scale reader',
      pauseMs: 1000,
      async step() {
        expectValues(expectRecords(await send(certified, 'GET', readPath('scale'))), { weight: 12.5 });
      },
    },
    {
      name: 'coming and going reader',
      pauseMs: 1000,
      async step() {
        expectValues(expectRecords(await send(coming, 'GET', readPath('plant'))), REGISTERS);
      },
    },
    {
      name: 'refused reader',
      pauseMs: 2000,
      async step() {
        const headers = { Authorization: 'Bearer no.token.atall' };
        expectStatus(await send(ground.plain(), 'GET', readPath('plant'), { headers }), 401);
      },
    },
  ];
}

/** Reads with an access token, which is exchanged for a new one before it expires. */
class TokenReader {
  readonly #ground: Ground;
  readonly #client;
  #pair: TokenPair | undefined;
  #renewMs = 0;

  constructor(ground: Ground) {
    this.#ground = ground;
    this.#client = ground.plain(true);
  }

  async read(): Promise<void> {
    if (performance.now() > this.#renewMs) this.#pair = undefined;
    this.#pair ??= await this.#issue();
    const headers = { Authorization: `Bearer ${this.#pair.accessToken}` };
    expectValues(expectRecords(await send(this.#client, 'GET', readPath('plant'), { headers })), REGISTERS);
  }

  async refresh(): Promise<void> {
    this.#pair ??= await this.#issue();
    const headers = { 'Content-Type': 'text/plain' };
    const body = this.#pair.refreshToken;
    const answer = await send(this.#ground.plain(), 'POST', '/services/token/jwt/v1/refresh', {
      headers,
      body,
    });
    expectStatus(answer, 200);
    // A refresh token works once.
    const again = await send(this.#ground.plain(), 'POST', '/services/token/jwt/v1/refresh', {
      headers,
      body,
    });
    expectStatus(again, 401);
    this.#pair = await this.#issue();
  }

  async #issue(): Promise<TokenPair> {
    const headers = basic(IDENTITIES.machine);
    const answer = await send(this.#ground.plain(), 'POST', '/services/token/jwt/v1/issue', { headers });
    this.#renewMs = performance.now() + RENEW_MS;
    return expectStatus(answer, 200).json as TokenPair;
  }
}
