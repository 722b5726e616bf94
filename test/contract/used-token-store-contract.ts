import assert from 'node:assert/strict';
import { test } from 'node:test';

import { estimateBytes } from '../../daemon/security/token/used-token-store.ts';
import type { UsedTokenStore } from '../../daemon/security/token/used-token-store.ts';
import { ManualClock } from '../support/manual-clock.ts';

/** The settings with which a ledger under test is created. */
export interface LedgerSetting {
  readonly clock: ManualClock;
  readonly retentionSeconds: () => number;
  readonly maximumBytes?: number;
  readonly retainedExpired?: number;
}

const RETENTION_SECONDS = 300;
const ISS = 'penstock';
/** An identity may use at most one of this many equal shares of the room. */
const SHARES = 8;

const token = (iss: string, jti: string, exp: number, sub = 'scada') => ({ iss, jti, exp, sub });

/**
 * Tests what every ledger of used refresh tokens must do.
 *
 * @param create creates an empty ledger
 */
export function testUsedTokenStore(kind: string, create: (setting: LedgerSetting) => UsedTokenStore): void {
  function setUp(bounds: Pick<LedgerSetting, 'maximumBytes' | 'retainedExpired'> = {}) {
    const clock = new ManualClock(1_000_000);
    const ledger = create({
      clock,
      retentionSeconds: () => RETENTION_SECONDS,
      ...bounds,
    });
    return { clock, ledger };
  }

  test(`${kind}: claim returns true exactly once`, () => {
    const { ledger } = setUp();
    assert.equal(ledger.isClaimed(ISS, 'a'), false);
    assert.deepEqual(
      [1, 2, 3].map(() => ledger.claim(token(ISS, 'a', 2000))),
      [true, false, false],
    );
    assert.equal(ledger.isClaimed(ISS, 'a'), true);
  });

  test(`${kind}: the same identifier of another issuer is another token`, () => {
    const { ledger } = setUp();
    assert.ok(ledger.claim(token(ISS, 'a', 2000)));
    assert.ok(ledger.claim(token('plant', 'a', 2000)));
  });

  test(`${kind}: no separator in issuer or identifier makes two tokens equal`, () => {
    const { ledger } = setUp();
    const pairs = [',', ' ', '|', '\0', '\n', '","', ''].flatMap((separator) => [
      [`x${separator}y`, `z`] as const,
      [`x`, `y${separator}z`] as const,
    ]);
    const distinct = new Map(pairs.map((pair) => [JSON.stringify(pair), pair]));
    for (const [iss, jti] of distinct.values())
      assert.ok(ledger.claim(token(iss, jti, 2000)), JSON.stringify([iss, jti]));
  });

  test(`${kind}: identifiers are compared exactly`, () => {
    const { ledger } = setUp();
    for (const jti of ['a', 'A', 'a ', ' a', 'á', 'a\u0301', '__proto__', 'constructor', 'a\0b', 'a\0']) {
      assert.ok(ledger.claim(token(ISS, jti, 2000)), JSON.stringify(jti));
    }
  });

  test(`${kind}: a mark is kept until expiry plus retention, and longer while few are`, () => {
    const { clock, ledger } = setUp({ retainedExpired: 2 });
    for (const [index, jti] of ['a', 'b', 'c', 'd'].entries()) ledger.claim(token(ISS, jti, 1600 + index));
    // The mark of "a" is over one millisecond later.
    clock.advance(899_999);
    ledger.claim(token(ISS, 'e', 9000));
    assert.equal(ledger.isClaimed(ISS, 'a'), true);
    clock.advance(60_000);
    ledger.claim(token(ISS, 'f', 9000));
    const kept = ['a', 'b', 'c', 'd', 'e', 'f'].filter((jti) => ledger.isClaimed(ISS, jti));
    assert.deepEqual(kept, ['c', 'd', 'e', 'f']);
  });

  test(`${kind}: a clock that is set forward and back lets no used token work again`, () => {
    const { clock, ledger } = setUp();
    ledger.claim(token(ISS, 'a', 1600));
    const nowMs = clock.epochMs();
    clock.setEpoch(nowMs + 365 * 86_400_000);
    clock.advance(60_000);
    ledger.claim(token(ISS, 'b', 40_000_000));
    clock.setEpoch(nowMs + 60_000);
    assert.equal(ledger.isClaimed(ISS, 'a'), true);
    assert.equal(ledger.claim(token(ISS, 'a', 1600)), false);
  });

  test(`${kind}: the mark of a token that expires in 2200 is still kept ten years later`, () => {
    const { clock, ledger } = setUp();
    ledger.claim(token(ISS, 'a', 7_258_118_400));
    clock.advance(10 * 365 * 86_400_000);
    assert.equal(ledger.claim(token(ISS, 'a', 7_258_118_400)), false);
  });

  test(`${kind}: an expiry with a fraction is kept to the millisecond`, () => {
    const { clock, ledger } = setUp();
    ledger.claim(token(ISS, 'a', 1000.25));
    clock.advance(300_249);
    assert.equal(ledger.isClaimed(ISS, 'a'), true);
  });

  test(`${kind}: a full ledger refuses and forgets nothing`, () => {
    const room = 10;
    const { ledger } = setUp({ maximumBytes: SHARES * room * estimateBytes(ISS, '0') });
    for (let index = 0; index < room; index += 1) assert.ok(ledger.claim(token(ISS, String(index), 2000)));
    assert.throws(() => ledger.claim(token(ISS, 'x', 2000)), {
      name: 'Unavailable',
      code: 'TOKEN_LEDGER_FULL',
    });
    assert.equal(ledger.isClaimed(ISS, 'x'), false);
    for (let index = 0; index < room; index += 1)
      assert.equal(ledger.claim(token(ISS, String(index), 2000)), false);
  });

  test(`${kind}: a full ledger accepts marks again once others have expired`, () => {
    const { clock, ledger } = setUp({ maximumBytes: SHARES * 2 * estimateBytes(ISS, 'a') });
    ledger.claim(token(ISS, 'a', 1010));
    ledger.claim(token(ISS, 'b', 9000));
    assert.throws(() => ledger.claim(token(ISS, 'c', 9000)), { code: 'TOKEN_LEDGER_FULL' });
    clock.advance(310_000);
    assert.ok(ledger.claim(token(ISS, 'c', 9000)));
    assert.equal(ledger.claim(token(ISS, 'b', 9000)), false);
  });

  /** Claims tokens of one identity until one is refused; returns how many were accepted. */
  function fill(ledger: UsedTokenStore, iss: string, sub: string, exp = 2000): number {
    for (let count = 0; ; count += 1) {
      const jti = `${sub} ${String(count).padStart(6, '0')}${exp}`;
      try {
        ledger.claim(token(iss, jti, exp, sub));
      } catch {
        return count;
      }
    }
  }

  const ROOM = 400 * estimateBytes(ISS, 'scada 0000002000');

  test(`${kind}: one identity cannot use the room of others`, () => {
    const { ledger } = setUp({ maximumBytes: ROOM });
    const taken = fill(ledger, ISS, 'mallory');
    assert.ok(taken > 0 && taken <= 400 / SHARES);
    assert.ok(ledger.claim(token(ISS, 'a', 2000, 'scada')));
    assert.equal(ledger.claim(token(ISS, 'mallory 0000002000', 2000, 'mallory')), false);
  });

  test(`${kind}: many greedy identities leave room for a later one`, () => {
    const { ledger } = setUp({ maximumBytes: ROOM });
    for (const sub of ['a', 'b', 'c', 'd', 'e']) fill(ledger, ISS, sub);
    assert.ok(ledger.claim(token(ISS, 'x', 2000, 'scada')));
  });

  test(`${kind}: an issuer uses neither the room of others nor the shares of the identities it names`, () => {
    const { ledger } = setUp({ maximumBytes: ROOM });
    for (let index = 0; index < 50; index += 1) fill(ledger, 'foreign', `name${index}`);
    fill(ledger, 'foreign', 'scada');
    const own = fill(ledger, ISS, 'scada');
    assert.ok(own >= 400 / SHARES - 2, `${own}`);
    assert.equal(ledger.isClaimed('foreign', 'name0 0000002000'), true);
  });

  test(`${kind}: a share has room again once its marks have expired`, () => {
    const { clock, ledger } = setUp({ maximumBytes: ROOM });
    const taken = fill(ledger, ISS, 'mallory');
    clock.advance(1_300_000 + RETENTION_SECONDS * 1000);
    assert.equal(fill(ledger, ISS, 'mallory', 9000), taken);
  });
}
