import type { Cancel } from '../../../daemon/base/clock.ts';
import { BrokenAnswer } from '../http/answer-parser.ts';
import type { Answer } from '../http/answer-parser.ts';
import { ConnectionEnded } from '../http/rest-connection.ts';
import type { RestConnection } from '../http/rest-connection.ts';
import { findShapeFault } from './answer-shape.ts';
import type { PeopleWorld } from './people-world.ts';
import { createActor } from './actor.ts';
import type { ActorOptions } from './actor.ts';
import type { Person } from './person.ts';
import { RestClient } from './rest-client.ts';
import type { Asked } from './rest-client.ts';

interface StrangerOptions extends ActorOptions {
  readonly address: string;
  /** Identities that may exist, whose passwords are guessed. */
  readonly names: readonly string[];
}

const WEIGHTS = { guess: 30, unknownPath: 20, withoutProof: 20, broken: 15, slow: 6, stall: 4, flood: 5 };

const FLOOD = 40;

/** Requests that are no HTTP, or not what docs/reference/rest-api.md allows, with the statuses that they are answered with. */
const BROKEN: readonly (readonly [bytes: string, statuses: readonly number[]])[] = [
  ['GET / HTTP/1.1\r\nHost gateway\r\n\r\n', [400]],
  ['GET /services/assets HTTP/1.1\r\n\r\n', [400]],
  ['GET /services/assets HTTP/1.1\r\nHost: localhost\r\nHost: b\r\n\r\n', [400]],
  ['\u0000\u0001\u0002\u0003\r\n\r\n', [400]],
  [`GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: ${'x'.repeat(17_000)}\r\n\r\n`, [431]],
  [`GET / HTTP/1.1\r\nHost: localhost\r\n${'X-Many: 1\r\n'.repeat(120)}\r\n`, [431]],
  ['GET / HTTP/1.1\r\nHost: localhost\r\nExpect: 200-ok\r\n\r\n', [417]],
  [
    'POST /services/token/jwt/v1/refresh HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: 3\r\n\r\na.b',
    [401],
  ],
  [
    'POST /services/session/v1/login/password HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{"usernam',
    [400],
  ],
  [
    'POST /services/session/v1/login/password HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: 1\r\n\r\nx',
    [415],
  ],
  ['PATCH /services/assets HTTP/1.1\r\nHost: localhost\r\n\r\n', [405]],
  ['GET /services/assets/%ff/_read HTTP/1.1\r\nHost: localhost\r\n\r\n', [400, 401]],
];

/** Creates somebody without any rights, who tries what can be tried; nobody else may notice. */
export function createStranger(world: PeopleWorld, options: StrangerOptions): Person {
  const { name: who, random, address, names } = options;
  const client = new RestClient(world, { who, kind: 'https', place: { address } });
  const others = Array.from(
    { length: FLOOD },
    (_, index) => new RestClient(world, { who: `${who}.${index}`, kind: 'https', place: { address } }),
  );
  const opened = new Set<RestConnection>();
  const stalls = new Set<Cancel>();

  function expect({ answer }: Asked, what: string, statuses: readonly number[]): void {
    expectStatus(answer, what, statuses);
  }

  function expectStatus({ status, body }: Answer, what: string, statuses: readonly number[]): void {
    if (statuses.includes(status)) return;
    const invariant = status < 400 ? 'access-ended' : 'answer-shape';
    world.chronicle.break(invariant, `${who}: ${what} is answered with ${status} ${body}`);
  }

  async function guess(by: RestClient): Promise<void> {
    const name = random.chance(0.7) ? random.pick(names) : `nobody-${random.integer(0, 1000)}`;
    const password = `guess-${random.integer(0, 1_000_000)}`;
    if (random.chance(0.5)) {
      const headers = { Authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}` };
      const asked = await by.ask({ method: 'GET', path: '/services/assets', headers });
      expect(asked, 'a guessed password', [401, 429, 503]);
      return;
    }
    const asked = await by.ask({
      method: 'POST',
      path: '/services/session/v1/login/password',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ username: name, password }),
    });
    expect(asked, 'a guessed password', [401, 429, 503]);
  }

  async function tryUnknownPath(): Promise<void> {
    const path = random.pick(['/', '/admin.php', '/services/', '/services/assets/../../etc', '/.git/config']);
    expect(await client.ask({ method: 'GET', path }), `GET ${path}`, [404]);
  }

  async function tryWithoutProof(): Promise<void> {
    const [method, path] = random.pick([
      ['GET', '/services/assets'],
      ['GET', '/services/audit/v1/events'],
      ['GET', '/services/configuration/v1'],
      ['DELETE', '/services/deploy/v2/some'],
      ['POST', '/services/token/jwt/v1/issue'],
      ['POST', '/services/session/v1/logout'],
      ['GET', '/services/events/v1'],
    ] as const);
    expect(await client.ask({ method, path }), `${method} ${path} without credentials`, [401]);
  }

  async function sendBroken(): Promise<void> {
    const [bytes, statuses] = random.pick(BROKEN);
    await exchange(bytes, [...statuses]);
  }

  /** Sends the beginning of a request, and then nothing: it is refused in time. */
  async function sendSlowly(): Promise<void> {
    const head = 'POST /services/session/v1/login/password HTTP/1.1\r\nHost: localhost\r\n';
    const whole = `${head}Content-Type: application/json\r\nContent-Length: 500\r\n\r\n{"user`;
    await exchange(random.chance(0.5) ? head : whole, [400, 408]);
  }

  async function exchange(bytes: string, statuses: readonly number[]): Promise<void> {
    const connection = world.connect('https', { address });
    opened.add(connection);
    const cancel = world.time.schedule(60_000, () => {
      world.chronicle.break(
        'answer-shape',
        `${who}: ${JSON.stringify(bytes.slice(0, 60))} has no answer in 60 s`,
      );
      connection.reset();
    });
    try {
      const answer = await connection.exchange(Buffer.from(bytes, 'latin1'), 'GET');
      world.chronicle.note(who, `${JSON.stringify(bytes.slice(0, 40))} ${answer.status}`);
      const fault = findShapeFault(answer, undefined);
      if (fault !== undefined)
        world.chronicle.break('answer-shape', `${who}: ${JSON.stringify(bytes.slice(0, 60))}: ${fault}`);
      expectStatus(answer, JSON.stringify(bytes.slice(0, 60)), statuses);
    } catch (error) {
      if (error instanceof BrokenAnswer) world.chronicle.break('answer-shape', `${who}: ${error.message}`);
      else if (!(error instanceof ConnectionEnded)) throw error;
      else world.chronicle.note(who, `no answer: ${error.reason}`);
    } finally {
      cancel();
      opened.delete(connection);
      connection.close();
    }
  }

  /** Connects and says nothing; the gateway closes the connection by itself. */
  function stall(): void {
    const connection = world.connect('https', { address });
    opened.add(connection);
    const cancel = world.time.schedule(120_000, () => {
      stalls.delete(cancel);
      opened.delete(connection);
      if (connection.isOpen)
        world.chronicle.break('nothing-left', `${who}: a silent connection is open after two minutes`);
      connection.close();
    });
    stalls.add(cancel);
  }

  async function flood(): Promise<void> {
    await Promise.allSettled(others.map((each) => guess(each)));
    for (const each of others) each.close();
  }

  async function act(): Promise<void> {
    switch (random.pickWeighted(WEIGHTS)) {
      case 'guess':
        return guess(client);
      case 'unknownPath':
        return tryUnknownPath();
      case 'withoutProof':
        return tryWithoutProof();
      case 'broken':
        return sendBroken();
      case 'slow':
        return sendSlowly();
      case 'stall':
        return stall();
      case 'flood':
        return flood();
    }
  }

  const close = (): void => {
    for (const cancel of stalls) cancel();
    for (const connection of opened) connection.close();
    for (const each of [client, ...others]) each.close();
  };
  return createActor(world, options, { act, close });
}
