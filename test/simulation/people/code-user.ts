import { BrokenAnswer } from '../http/answer-parser.ts';
import { ConnectionEnded } from '../http/rest-connection.ts';
import { createActor } from './actor.ts';
import type { ActorOptions } from './actor.ts';
import { AuthenticatorApp } from './authenticator-app.ts';
import { judge } from './judgement.ts';
import type { PeopleWorld } from './people-world.ts';
import type { Person } from './person.ts';
import { askIn, askLogin, takeSession } from './plain-session.ts';
import type { PlainSession } from './plain-session.ts';
import { CURRENT_IDENTITY } from './probes.ts';
import { RestClient } from './rest-client.ts';
import type { Asked } from './rest-client.ts';
import { RootClient, toBasic } from './root-client.ts';

interface CodeUserOptions extends ActorOptions {
  readonly address: string;
  /** Of whoever creates the identity. */
  readonly credentials: { readonly name: string; readonly password: string };
}

/** The second factor as its owner knows it. */
interface Factor {
  readonly app: AuthenticatorApp;
  /** Recovery codes that were not used, and those that were. */
  fresh: readonly string[];
  spent: readonly string[];
}

const OWNER = { name: 'keyholder', password: 'password-of-turbines' };
const FACTOR = '/services/session/v1/secondFactor';
const WEIGHTS = {
  right: 8,
  twice: 3,
  replay: 5,
  wrong: 2,
  missing: 2,
  recovery: 3,
  spent: 4,
  basic: 1,
  remove: 1,
};
// docs/reference/rest-api.md, limits: the fifth wrong one makes the next ones wait.
const MOST_FAILURES = 3;
const LEAST_RECOVERY_CODES = 2;
// A code is accepted for so long at least.
const LONGEST_REQUEST_MS = 25_000;
const CLOCK_SLACK_MS = 1000;

/** Creates somebody who logs in with password and code, and tries codes that must not work. */
export function createCodeUser(world: PeopleWorld, options: CodeUserOptions): Person {
  const { name: who, random, address, credentials } = options;
  const { gateway } = world;
  const place = { address };
  const client = new RestClient(world, { who, kind: 'https', place });
  const second = new RestClient(world, { who: `${who}.second`, kind: 'https', place });
  const root = new RootClient(world, { who, client, credentials });
  // Undefined: nobody knows whether the identity has one.
  let state: { factor: Factor | undefined } | undefined;
  // Wrong codes since the last right one.
  let failures = 0;

  async function act(): Promise<void> {
    if (state === undefined) {
      if (await root.makeAnew(OWNER.name, OWNER.password)) state = { factor: undefined };
      failures = 0;
      return;
    }
    const { factor } = state;
    if (factor === undefined) return change(enrol);
    const kind = random.pickWeighted(WEIGHTS);
    if (kind === 'missing') return refuse(undefined, 'a login without a code');
    if (kind === 'basic') return tryBasic();
    if (kind === 'remove' || factor.fresh.length < LEAST_RECOVERY_CODES) return change(() => remove(factor));
    if (kind === 'recovery') return recover(factor);
    if (kind === 'right' || kind === 'twice' || failures >= MOST_FAILURES)
      return enter(factor, kind === 'twice' && failures < MOST_FAILURES);
    return tryWrong(factor, kind);
  }

  function tryWrong(factor: Factor, kind: 'replay' | 'wrong' | 'spent'): Promise<void> {
    const { app, spent } = factor;
    const nowMs = gateway.epochMs();
    if (kind === 'spent' && spent.length > 0)
      return refuse(random.pick(spent), 'a login with a recovery code that was used');
    const used = app.listUsed(nowMs);
    if (kind === 'replay' && used.length > 0) {
      const step = random.chance(0.7) ? used.at(-1) : random.pick(used);
      if (step !== undefined) return refuse(app.codeOf(step), 'a login with a code that was used');
    }
    return refuse(app.makeWrong(nowMs, random.integer(1, 999_999)), 'a login with a wrong code');
  }

  /** Logs in with a right code, or with the same one twice at once: then one of them succeeds. */
  async function enter({ app }: Factor, isTwice: boolean): Promise<void> {
    const step = app.findFresh(gateway.epochMs());
    if (step === undefined) return;
    const code = app.codeOf(step);
    const text = random.chance(0.3) ? `${code.slice(0, 3)} ${code.slice(3)}` : code;
    const settled = await Promise.allSettled(
      (isTwice ? [client, second] : [client]).map((each) => login(each, text)),
    );
    const answers = settled.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    const succeeded = answers.filter(({ answer }) => answer.status === 200);
    app.note(step, succeeded.length > 0 ? 'USED' : 'DOUBTFUL');
    if (succeeded.length > 1)
      world.chronicle.break('access-ended', `${who}: a code was accepted twice at once`);
    failures = succeeded.length > 0 ? 0 : failures + settled.length;
    const failure = settled.find((result) => result.status === 'rejected');
    if (failure !== undefined) throw failure.reason;
    const [first] = answers;
    if (succeeded.length === 0 && first !== undefined && answers.every(isInTime))
      judge(world, first, { who, what: 'a login with the right code', statuses: [200] });
    const [entered] = succeeded;
    if (entered !== undefined) await useSession(entered);
  }

  async function recover(factor: Factor): Promise<void> {
    const [code, ...others] = factor.fresh;
    if (code === undefined) return;
    // Nobody knows whether it was used when the answer does not come.
    factor.fresh = others;
    const asked = await login(client, random.chance(0.5) ? code : code.toLowerCase().replaceAll('-', ''));
    judge(world, asked, { who, what: 'a login with a recovery code', statuses: [200] });
    if (asked.answer.status !== 200) return;
    failures = 0;
    factor.spent = [...factor.spent, code];
    await useSession(asked);
  }

  async function refuse(code: string | undefined, what: string): Promise<void> {
    if (code !== undefined) failures += 1;
    const asked = await login(client, code);
    judge(world, asked, { who, what, statuses: [401] });
    if (asked.answer.status === 401 && !isAskedForCode(asked))
      world.chronicle.break('answer-shape', `${who}: ${what} is answered with ${asked.answer.body}`);
  }

  // One proof would be on its way with every request.
  async function tryBasic(): Promise<void> {
    const headers = { authorization: toBasic(OWNER) };
    const asked = await client.ask({ method: 'GET', path: CURRENT_IDENTITY, headers });
    judge(world, asked, { who, what: 'BASIC with a second factor', statuses: [401] });
  }

  /** Sets up or ends the second factor; when an answer does not come, nobody knows whether it is there. */
  async function change(action: () => Promise<void>): Promise<void> {
    try {
      await action();
    } catch (error) {
      if (error instanceof ConnectionEnded || error instanceof BrokenAnswer) state = undefined;
      throw error;
    }
  }

  async function enrol(): Promise<void> {
    const entered = await login(client, random.chance(0.5) ? undefined : '123456');
    judge(world, entered, { who, what: 'a login without a second factor', statuses: [200] });
    const session = await takeSession(client, entered);
    if (session === undefined) return;
    const begun = await askFor(session, 'begin', { currentPassword: OWNER.password }, 200);
    if (begun === undefined) return;
    const { secret } = JSON.parse(begun.answer.body) as { readonly secret: string };
    const app = new AuthenticatorApp(secret);
    if (random.chance(0.3)) {
      const secondFactorCode = app.makeWrong(gateway.epochMs(), random.integer(1, 999_999));
      await askFor(session, 'confirm', { secondFactorCode }, 401);
    }
    const step = app.stepAt(gateway.epochMs());
    const asked = await askIn(client, session, {
      method: 'POST',
      path: `${FACTOR}/confirm`,
      body: { secondFactorCode: app.codeOf(step) },
      actor: OWNER.name,
    });
    if (isInTime(asked)) judge(world, asked, { who, what: 'confirm', statuses: [200] });
    if (asked.answer.status !== 200) return;
    app.note(step, 'USED');
    const { recoveryCodes } = JSON.parse(asked.answer.body) as { readonly recoveryCodes: readonly string[] };
    state = { factor: { app, fresh: recoveryCodes, spent: [] } };
    await checkEnded(session);
  }

  async function remove(factor: Factor): Promise<void> {
    const step = factor.app.findFresh(gateway.epochMs());
    const [code, ...others] = factor.fresh;
    if (step === undefined || code === undefined) return;
    factor.app.note(step, 'USED');
    const entered = await login(client, factor.app.codeOf(step));
    if (isInTime(entered))
      judge(world, entered, { who, what: 'a login with the right code', statuses: [200] });
    const session = await takeSession(client, entered);
    if (session === undefined) return;
    failures = 0;
    factor.fresh = others;
    const proofs = { currentPassword: OWNER.password, secondFactorCode: code };
    if ((await askFor(session, 'remove', proofs, 204)) === undefined) return;
    state = { factor: undefined };
    await checkEnded(session);
  }

  async function askFor(
    session: PlainSession,
    operation: string,
    body: unknown,
    status: number,
  ): Promise<Asked | undefined> {
    const path = `${FACTOR}/${operation}`;
    const asked = await askIn(client, session, { method: 'POST', path, body, actor: OWNER.name });
    judge(world, asked, { who, what: operation, statuses: [status] });
    return asked.answer.status === status ? asked : undefined;
  }

  async function useSession(entered: Asked): Promise<void> {
    const session = await takeSession(client, entered);
    if (session === undefined || entered.run !== gateway.run()) return;
    const asked = await askIn(client, session, { method: 'GET', path: CURRENT_IDENTITY });
    if (asked.run === entered.run)
      judge(world, asked, { who, what: 'a session that was opened with a code', statuses: [200] });
  }

  async function checkEnded(session: PlainSession): Promise<void> {
    const asked = await askIn(client, session, { method: 'GET', path: CURRENT_IDENTITY });
    judge(world, asked, { who, what: 'a session from before the change of the factor', statuses: [401] });
  }

  function login(by: RestClient, secondFactorCode: string | undefined): Promise<Asked> {
    return askLogin(by, { username: OWNER.name, password: OWNER.password, secondFactorCode });
  }

  const close = (): void => {
    client.close();
    second.close();
  };
  return createActor(world, options, { act, close });
}

// The clock of the gateway may be set while a request is under way.
function isInTime({ askedMs, answeredMs, askedEpochMs, answeredEpochMs }: Asked): boolean {
  const tookMs = answeredMs - askedMs;
  return tookMs < LONGEST_REQUEST_MS && Math.abs(answeredEpochMs - askedEpochMs - tookMs) < CLOCK_SLACK_MS;
}

function isAskedForCode({ answer }: Asked): boolean {
  return (JSON.parse(answer.body) as { readonly secondFactorNeeded?: unknown }).secondFactorNeeded === true;
}
