import { hasPermission } from './identity-model.ts';
import type { PeopleWorld } from './people-world.ts';
import type { Asked } from './rest-client.ts';

/** A token as its holder knows it. */
export interface HeldToken {
  readonly text: string;
  readonly name: string;
  /** NumericDate. */
  readonly issuedAt: number;
  readonly expiresAt: number;
  /** What the identity can have been when it was issued. */
  readonly incarnations: readonly number[];
  /** Numbers of the keys that can have signed it, see `PeopleWorld.signingKeys`. */
  readonly keys: readonly number[];
  /** The runs of the gateway in which it was used as a refresh token, and whether that is certain. */
  readonly uses: Map<number, 'USED' | 'UNKNOWN'>;
}

/** Reads a token that was issued; its claims are the gateway's promise. */
export function readHeldToken(
  text: string,
  of: Pick<HeldToken, 'name' | 'incarnations' | 'keys'>,
): HeldToken {
  const payload = Buffer.from(text.split('.')[1] ?? '', 'base64url').toString();
  const { iat, exp } = JSON.parse(payload) as { readonly iat: number; readonly exp: number };
  return { ...of, text, issuedAt: iat, expiresAt: exp, uses: new Map() };
}

/** Returns with which statuses a request with an access token can be answered. */
export function accessStatuses(
  world: PeopleWorld,
  token: HeldToken,
  asked: Asked,
  permission: string | undefined,
): readonly number[] {
  const states = world.identities.during(token.name, asked);
  return validities(world, token, asked).flatMap((isValid) =>
    states.map((state) => {
      if (!isValid || state === undefined || !token.incarnations.includes(state.incarnation)) return 401;
      if (state.isChangeNeeded) return 401;
      return hasPermission(state, permission) ? 200 : 403;
    }),
  );
}

/** Returns with which statuses a refresh can be answered, before it is noted as a use. */
export function refreshStatuses(world: PeopleWorld, token: HeldToken, asked: Asked): readonly number[] {
  const states = world.identities.during(token.name, asked);
  const used = useOf(world, token, asked.run);
  return validities(world, token, asked).flatMap((isValid) =>
    states.flatMap((state) => {
      if (!isValid || state === undefined || !token.incarnations.includes(state.incarnation)) return [401];
      if (state.isChangeNeeded) return [403];
      if (used === 'USED') return [401];
      return used === 'UNKNOWN' ? [200, 401] : [200];
    }),
  );
}

/** Returns whether a refresh token was used already, as far as the gateway has to remember it. */
export function useOf(world: PeopleWorld, { uses }: HeldToken, run: number): 'USED' | 'UNKNOWN' | undefined {
  if (!world.settings.keepsUsedTokens) return uses.get(run);
  const all = [...uses.values()];
  if (all.includes('USED')) return 'USED';
  return all.length > 0 ? 'UNKNOWN' : undefined;
}

function validities(world: PeopleWorld, token: HeldToken, asked: Asked): readonly boolean[] {
  const present = world.signingKeys.during(asked.askedMs, asked.answeredMs);
  const isTrusted = present.flatMap((key) => token.keys.map((one) => one === key));
  if (!world.gateway.hasSteadyClock()) return isTrusted.includes(true) ? [true, false] : [false];
  const { askedEpochMs, answeredEpochMs } = asked;
  const { clockSkewToleranceMs } = world.settings;
  const isValidAt = (epochMs: number): boolean =>
    epochMs >= token.issuedAt * 1000 - clockSkewToleranceMs &&
    epochMs < token.expiresAt * 1000 + clockSkewToleranceMs;
  const isValid = [isValidAt(askedEpochMs), isValidAt(answeredEpochMs)];
  return [...new Set(isTrusted.flatMap((isOfKey) => isValid.map((isInTime) => isOfKey && isInTime)))];
}
