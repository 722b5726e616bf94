import type { AnswerOf } from '../../../daemon/interface/endpoint.ts';
import type { obtainTokens } from '../../../daemon/interface/security/tokens.ts';
import { BasicClient } from './basic-client.ts';
import { judgeGranted } from './held-grants.ts';
import { accessStatuses, readHeldToken, refreshStatuses, useOf } from './held-token.ts';
import type { HeldToken } from './held-token.ts';
import type { Period } from './identity-model.ts';
import { judge, unique } from './judgement.ts';
import type { PeopleWorld } from './people-world.ts';
import { createActor } from './actor.ts';
import type { ActorOptions } from './actor.ts';
import type { Person } from './person.ts';
import { CURRENT_IDENTITY, PROBES } from './probes.ts';
import { RestClient } from './rest-client.ts';
import type { Asked } from './rest-client.ts';
import { tuningsDuring } from './tuning.ts';

const ROOT = '/services/token/jwt/v1';
const KEPT_TOKENS = 6;
const AT_ONCE = 4;

type TokenPair = AnswerOf<typeof obtainTokens>;

interface TokenUserOptions extends ActorOptions {
  readonly address: string;
  readonly identity: string;
}

const WEIGHTS = { access: 50, refresh: 25, refreshAtOnce: 5, replay: 8, issue: 6, wrongKind: 3, forged: 3 };

/** Creates a program that lives on tokens, and uses old ones as well. */
export function createTokenUser(world: PeopleWorld, options: TokenUserOptions): Person {
  const { name: who, random, address, identity } = options;
  const { identities } = world;
  const place = { address };
  const clients = Array.from(
    { length: AT_ONCE },
    (_, index) => new RestClient(world, { who: index === 0 ? who : `${who}.${index}`, kind: 'https', place }),
  );
  const [client = new RestClient(world, { who, kind: 'https', place })] = clients;
  const basic = new BasicClient(world, who, client, identity);
  let accessTokens: readonly HeldToken[] = [];
  let refreshTokens: readonly HeldToken[] = [];
  let usedTokens: readonly HeldToken[] = [];

  async function issue(): Promise<void> {
    const asked = await basic.ask({
      method: 'POST',
      path: `${ROOT}/issue`,
      permission: undefined,
      isOpenToLocked: true,
      actor: identity,
    });
    if (asked.answer.status === 401) basic.learnPassword(random);
    if (asked.answer.status === 200) keepPair(asked, incarnationsDuring(asked));
  }

  function keepPair(asked: Asked, incarnations: readonly number[]): void {
    const pair = JSON.parse(asked.answer.body) as TokenPair;
    const keys = world.signingKeys.during(asked.askedMs, asked.answeredMs);
    const of = { name: identity, incarnations, keys };
    checkLifetimes(asked);
    accessTokens = [...accessTokens, readHeldToken(pair.accessToken, of)].slice(-KEPT_TOKENS);
    refreshTokens = [...refreshTokens, readHeldToken(pair.refreshToken, of)].slice(-KEPT_TOKENS);
  }

  function checkLifetimes(asked: Asked): void {
    const { accessTokenExpiresInSeconds, refreshTokenExpiresInSeconds } = JSON.parse(
      asked.answer.body,
    ) as TokenPair;
    const isSet = tuningsDuring(world, asked).some(
      ({ jwtAccessTokenDurationSeconds, jwtRefreshTokenDurationSeconds }) =>
        accessTokenExpiresInSeconds === jwtAccessTokenDurationSeconds &&
        refreshTokenExpiresInSeconds === jwtRefreshTokenDurationSeconds,
    );
    if (isSet) return;
    const text = `tokens live for ${accessTokenExpiresInSeconds} and ${refreshTokenExpiresInSeconds} s`;
    world.chronicle.break('configuration-kept', `${who}: ${text}`);
  }

  function incarnationsDuring(period: Period): readonly number[] {
    return unique(identities.during(identity, period).flatMap((state) => state?.incarnation ?? []));
  }

  async function access(token: HeldToken): Promise<void> {
    const { path, permission } = random.pick(PROBES);
    const headers = { Authorization: `Bearer ${token.text}` };
    const asked = await client.ask({ method: 'GET', path, headers });
    const statuses = unique(accessStatuses(world, token, asked, permission));
    judge(world, asked, { who, what: `${path} with an access token of ${identity}`, statuses });
    judgeGranted(world, asked, { who, identity, path });
  }

  async function refuseText(text: string, what: string): Promise<void> {
    const asked = await client.ask({
      method: 'GET',
      path: CURRENT_IDENTITY,
      headers: { Authorization: `Bearer ${text}` },
    });
    judge(world, asked, { who, what, statuses: [401] });
  }

  /** Uses a token so many times at once: one of the uses succeeds, if any. */
  async function refresh(token: HeldToken, times: number): Promise<void> {
    const request = {
      method: 'POST',
      path: `${ROOT}/refresh`,
      headers: { 'Content-Type': 'text/plain' },
      body: token.text,
      actor: identity,
    };
    const settled = await Promise.allSettled(clients.slice(0, times).map((each) => each.ask(request)));
    const answers = settled.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    for (const asked of answers) {
      const possible = refreshStatuses(world, token, asked);
      const statuses = unique(times === 1 ? possible : [...possible, 401]);
      judge(world, asked, { who, what: `a refresh of ${identity}`, statuses });
    }
    const isCertain = answers.length === times;
    checkOnce(token, answers, isCertain);
    noteUses(token, answers, isCertain);
    for (const asked of answers) if (asked.answer.status === 200) keepPair(asked, token.incarnations);
    const failure = settled.find((result) => result.status === 'rejected');
    if (failure !== undefined) throw failure.reason;
  }

  function checkOnce(token: HeldToken, answers: readonly Asked[], isCertain: boolean): void {
    const succeeded = answers.filter(({ answer }) => answer.status === 200).length;
    if (succeeded > 1)
      world.chronicle.break('access-ended', `${who}: one refresh token gave ${succeeded} pairs at once`);
    const mustSucceed =
      isCertain &&
      answers.length > 1 &&
      answers.every((asked) => refreshStatuses(world, token, asked).every((status) => status === 200));
    if (mustSucceed && succeeded === 0)
      world.chronicle.break(
        'access-kept',
        `${who}: of ${answers.length} uses of a refresh token none succeeded`,
      );
  }

  function noteUses(token: HeldToken, answers: readonly Asked[], isCertain: boolean): void {
    const success = answers.find(({ answer }) => answer.status === 200);
    const run = success?.run ?? world.gateway.run();
    if (success !== undefined) token.uses.set(run, 'USED');
    else if (!isCertain && useOf(world, token, run) === undefined) token.uses.set(run, 'UNKNOWN');
    if (success !== undefined && !usedTokens.includes(token))
      usedTokens = [...usedTokens, token].slice(-KEPT_TOKENS);
    if (success !== undefined) refreshTokens = refreshTokens.filter((other) => other !== token);
  }

  async function act(): Promise<void> {
    const kind = random.pickWeighted(WEIGHTS);
    const accessToken = accessTokens.length === 0 ? undefined : random.pick(accessTokens);
    const refreshToken = refreshTokens.at(-1);
    if (accessToken === undefined || refreshToken === undefined) return issue();
    switch (kind) {
      case 'access':
        return access(accessToken);
      case 'refresh':
        // One that was kept too long is worth nothing: the next one comes by password.
        await refresh(refreshToken, 1).finally(() => {
          if (world.gateway.epochMs() > refreshToken.expiresAt * 1000) refreshTokens = [];
        });
        return undefined;
      case 'refreshAtOnce':
        return refresh(refreshToken, random.integer(2, AT_ONCE));
      case 'replay':
        return usedTokens.length === 0 ? access(accessToken) : refresh(random.pick(usedTokens), 1);
      case 'issue':
        return issue();
      case 'wrongKind':
        return refuseText(refreshToken.text, 'a refresh token sent for access');
      case 'forged':
        return refuseText(forge(accessToken.text), 'a token with another signature');
    }
  }

  function forge(text: string): string {
    const [head = '', payload = '', signature = ''] = text.split('.');
    const bytes = Buffer.from(signature, 'base64url');
    const index = random.integer(0, bytes.length - 1);
    bytes[index] = (bytes[index] ?? 0) ^ (1 << random.integer(0, 7));
    return `${head}.${payload}.${bytes.toString('base64url')}`;
  }

  const close = (): void => {
    for (const each of clients) each.close();
  };
  return createActor(world, options, { act, close });
}
