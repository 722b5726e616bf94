import { judge, unique } from './judgement.ts';
import { accessStatuses, readHeldToken, refreshStatuses } from './held-token.ts';
import type { HeldToken } from './held-token.ts';
import type { PeopleWorld } from './people-world.ts';
import { createActor } from './actor.ts';
import type { ActorOptions } from './actor.ts';
import type { Person } from './person.ts';
import { CURRENT_IDENTITY } from './probes.ts';
import { RestClient } from './rest-client.ts';
import type { Asked } from './rest-client.ts';
import { RootClient, toBasic } from './root-client.ts';

interface RevokerOptions extends ActorOptions {
  readonly address: string;
  readonly credentials: { readonly name: string; readonly password: string };
}

const COURIER = { name: 'courier', password: 'password-of-turbines' };
const ROOT = '/services/token/jwt/v1';
const KEPT = 8;
const WEIGHTS = { revokeAsRoot: 4, revokeByToken: 3, rotate: 2, rotateAndRevoke: 2 };

interface TokenPair {
  readonly access: HeldToken;
  readonly refresh: HeldToken;
}

/** Creates an administrator who voids the tokens of a courier, and replaces the key that signs those of everybody. */
export function createRevoker(world: PeopleWorld, options: RevokerOptions): Person {
  const { name: who, random, address, credentials } = options;
  const { time, identities, signingKeys } = world;
  const client = new RestClient(world, { who, kind: 'https', place: { address } });
  const courier = new RestClient(world, { who: `${who}.courier`, kind: 'https', place: { address } });
  const root = new RootClient(world, { who, client, credentials });
  let isThere = false;
  let revoked: readonly TokenPair[] = [];
  let keys = 0;

  async function act(): Promise<void> {
    if (!isThere) {
      isThere = await root.makeAnew(COURIER.name, COURIER.password);
      if (isThere) noteCourier();
      return;
    }
    if (revoked.length > 0) await tryRevoked(random.pick(revoked));
    const before = await issue();
    if (before === undefined) return;
    await check(before);
    const kind = random.pickWeighted(WEIGHTS);
    const isRevoked = await revoke(kind, before);
    if (isRevoked === undefined) return;
    // Those that come afterwards work, even within the same second.
    const after = await issue();
    if (isRevoked) {
      revoked = [...revoked, before].slice(-KEPT);
      await tryRevoked(before);
    } else await check(before);
    if (after !== undefined) await check(after);
  }

  // Nobody else changes it.
  function noteCourier(): void {
    identities.provide(COURIER.name, {
      incarnation: identities.nextNumber(),
      credentials: identities.nextNumber(),
      password: COURIER.password,
      isChangeNeeded: false,
      permissions: ['rest.assets.read'],
      grants: [],
    });
  }

  /** @returns whether the tokens of the courier are void; undefined: nobody knows */
  async function revoke(kind: keyof typeof WEIGHTS, { access }: TokenPair): Promise<boolean | undefined> {
    if (kind === 'rotate' || kind === 'rotateAndRevoke') return rotate(kind === 'rotateAndRevoke');
    const request = { method: 'POST', path: `${ROOT}/_revoke`, body: { userName: COURIER.name } };
    if (kind === 'revokeAsRoot') return (await root.ask(request, [204])) === undefined ? undefined : true;
    const asked = await courier.ask({
      ...request,
      body: JSON.stringify(request.body),
      headers: { ...bearer(access), 'Content-Type': 'application/json' },
      actor: COURIER.name,
    });
    const statuses = unique(accessStatuses(world, access, asked, undefined));
    judge(world, asked, {
      who,
      what: `_revoke of ${COURIER.name}`,
      statuses: statuses.map((status) => (status === 200 ? 204 : status)),
    });
    return asked.answer.status === 204 ? true : undefined;
  }

  async function rotate(isRevoking: boolean): Promise<boolean | undefined> {
    keys += 1;
    const number = keys;
    const pending = isRevoking ? signingKeys.begin(number, time.monotonicMs()) : undefined;
    const body = { revoke: isRevoking };
    // Without an answer both keys are possible until the next time.
    const asked = await root.ask({ method: 'POST', path: `${ROOT}/_rotateKey`, body }, [200]);
    if (asked === undefined) return undefined;
    pending?.settle(number, asked.answeredMs);
    return isRevoking;
  }

  async function issue(): Promise<TokenPair | undefined> {
    const asked = await courier.ask({
      method: 'POST',
      path: `${ROOT}/issue`,
      headers: { authorization: toBasic(COURIER) },
      actor: COURIER.name,
    });
    judge(world, asked, { who, what: `tokens for ${COURIER.name}`, statuses: [200] });
    if (asked.answer.status !== 200) return undefined;
    const incarnations = identities.during(COURIER.name, asked).flatMap((state) => state?.incarnation ?? []);
    const of = {
      name: COURIER.name,
      incarnations,
      keys: signingKeys.during(asked.askedMs, asked.answeredMs),
    };
    const pair = JSON.parse(asked.answer.body) as { accessToken: string; refreshToken: string };
    return { access: readHeldToken(pair.accessToken, of), refresh: readHeldToken(pair.refreshToken, of) };
  }

  async function check({ access, refresh }: TokenPair): Promise<void> {
    const asked = await use(access);
    judge(world, asked, {
      who,
      what: `an access token of ${COURIER.name}`,
      statuses: unique(accessStatuses(world, access, asked, undefined)),
    });
    if (!random.chance(0.3)) return;
    const renewed = await renew(refresh);
    const statuses = unique(refreshStatuses(world, refresh, renewed));
    judge(world, renewed, { who, what: `a refresh of ${COURIER.name}`, statuses });
    if (renewed.answer.status === 200) refresh.uses.set(renewed.run, 'USED');
  }

  async function tryRevoked({ access, refresh }: TokenPair): Promise<void> {
    const statuses = [401];
    judge(world, await use(access), { who, what: 'an access token that was revoked', statuses });
    judge(world, await renew(refresh), { who, what: 'a refresh token that was revoked', statuses });
  }

  function use(token: HeldToken): Promise<Asked> {
    return courier.ask({ method: 'GET', path: CURRENT_IDENTITY, headers: bearer(token) });
  }

  function renew(token: HeldToken): Promise<Asked> {
    return courier.ask({
      method: 'POST',
      path: `${ROOT}/refresh`,
      headers: { 'Content-Type': 'text/plain' },
      body: token.text,
      actor: COURIER.name,
    });
  }

  const close = (): void => {
    client.close();
    courier.close();
  };
  return createActor(world, options, { act, close });
}

function bearer({ text }: HeldToken): Readonly<Record<string, string>> {
  return { Authorization: `Bearer ${text}` };
}
