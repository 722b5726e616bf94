import type { PlantedDefect } from './planted-defect.ts';

/** Defects of the configuration, and of who may do what. */
export const ACCESS_DEFECTS: readonly PlantedDefect[] = [
  {
    name: 'configuration-not-stored',
    file: 'daemon/configuration/store/configuration-store.ts',
    search: 'needsConfirmation ? snapshots.saveUnconfirmed(...saved) : snapshots.save(...saved);',
    replace: 'needsConfirmation ? snapshots.saveUnconfirmed(...saved) : newest;',
    invariants: ['configuration-kept', 'answer-shape'],
  },
  {
    name: 'configuration-not-taken-back-in-time',
    file: 'daemon/configuration/configuration-applier.ts',
    search: 'if (needsConfirmation) this.#scheduleRevert(confirmWithinSeconds);',
    replace: '',
    invariants: ['configuration-kept', 'answer-shape'],
  },
  {
    name: 'configuration-not-taken-back-at-start',
    file: 'daemon/configuration/configuration-applier.ts',
    search: `await this.#revertUnconfirmed();
    const { snapshotId, mergedSources, changes }`,
    replace: 'const { snapshotId, mergedSources, changes }',
    invariants: ['configuration-kept', 'answer-shape'],
  },
  {
    name: 'configuration-tag-not-compared',
    file: 'daemon/configuration/store/configuration-store.ts',
    search: 'if (basis !== undefined && basis !== newest.id) {',
    replace: 'if (basis !== undefined && basis > newest.id) {',
    invariants: ['configuration-kept'],
  },
  {
    name: 'configuration-removed-asset-served',
    file: 'daemon/plant/asset/asset-registry.ts',
    search: 'if (present !== asset) asset.endListening(',
    replace: `if (present === undefined) (this.#assets as Map<string, Asset>).set(pid, asset);
      else if (present !== asset) asset.endListening(`,
    invariants: ['configuration-kept', 'answer-shape', 'true-value', 'recovery'],
  },
  {
    name: 'configuration-changed-asset-kept',
    file: 'daemon/plant/asset/asset-registry.ts',
    search:
      'const isSame = existing?.connection === connection && isDeepStrictEqual(existing.config, config);',
    replace: 'const isSame = existing?.connection === connection;',
    invariants: ['configuration-kept', 'answer-shape', 'true-value', 'recovery'],
  },
  {
    name: 'configuration-dropped-connection-open',
    file: 'daemon/plant/asset/asset-registry.ts',
    search: '...dropped.map(({ connection }) => connection.close()),',
    replace: '...dropped.slice(1).map(({ connection }) => connection.close()),',
    invariants: ['nothing-left', 'recovery', 'true-value', 'no-defect'],
  },
  {
    name: 'permission-checked-once-for-a-connection',
    file: 'daemon/server/http/steps.ts',
    search: `export function authorize(context: RequestContext): void {
  const { access } = endpointOf(context);
  if (mayUse(context.principal, access)) return;`,
    replace: `const checked = new WeakSet<object>();
export function authorize(context: RequestContext): void {
  const { access } = endpointOf(context);
  const { socket } = context.request;
  if (checked.has(socket)) return;
  if (mayUse(context.principal, access)) return void checked.add(socket);`,
    invariants: ['access-ended'],
  },
  {
    name: 'session-survives-logout',
    file: 'daemon/server/rest/security/session-routes.ts',
    search: 'sessions.remove(getSession(call).id);',
    replace: 'getSession(call);',
    invariants: ['access-ended'],
  },
  {
    name: 'session-never-expires',
    file: 'daemon/security/session/session.ts',
    search: 'return nowMs >= findExpiry(session, inactivityIntervalMs);',
    replace: 'return session.lastUsedMs > nowMs + inactivityIntervalMs;',
    invariants: ['access-ended'],
  },
  {
    name: 'session-in-use-has-no-limit',
    file: 'daemon/security/session/session.ts',
    search: 'session.createdAtMs + ABSOLUTE_SESSION_LIMIT_MS',
    replace: 'Infinity',
    // A session lasts for twelve hours.
    hours: 26,
    invariants: ['access-ended'],
  },
  {
    name: 'session-xsrf-token-not-compared',
    file: 'daemon/security/session/request-session.ts',
    search: 'if (!isXsrfExempt && !isXsrfTokenOf(session, xsrfToken)) return undefined;',
    replace: 'if (!isXsrfExempt && xsrfToken === undefined) return undefined;',
    invariants: ['access-ended'],
  },
  {
    name: 'session-of-locked-identity-works',
    file: 'daemon/security/session/request-session.ts',
    search: 'if (!isAccessAllowed(findRequiredActionIn(session, identity), credentials)) return undefined;',
    replace: '',
    invariants: ['access-ended'],
  },
  {
    name: 'session-survives-login-with-its-cookie',
    file: 'daemon/security/session/login.ts',
    search: 'if (sessionId !== undefined) sessions.remove(sessionId);',
    replace: '',
    invariants: ['access-ended'],
  },
  {
    name: 'sessions-survive-password-change',
    file: 'daemon/security/identity/sqlite-identity-store.ts',
    search: 'const credentialsRevision = identity.credentialsRevision + 1;',
    replace: 'const { credentialsRevision } = identity;',
    invariants: ['access-ended'],
  },
  {
    name: 'basic-cache-survives-password-change',
    file: 'daemon/security/identity/provider/basic-provider.ts',
    search: 'pair.credentialsRevision === credentialsRevision &&',
    replace: '',
    invariants: ['access-ended'],
  },
  {
    name: 'refresh-token-used-twice-at-once',
    file: 'daemon/security/token/refresh.ts',
    search: 'if (!ledger.claim({ iss, jti, sub: identityName, exp })) throw refuseUsed();',
    replace: 'ledger.claim({ iss, jti, sub: identityName, exp });',
    invariants: ['access-ended'],
  },
  {
    name: 'token-of-earlier-identity-works',
    file: 'daemon/security/token/token-identity.ts',
    search: 'const identity = identities.find(claims.sub);',
    replace:
      'const identity = identities.find(claims.sub);\n  if (identity !== undefined && identity.permissions.length > 0) return identity;',
    invariants: ['access-ended'],
  },
  {
    name: 'token-never-expires',
    file: 'daemon/security/token/claims.ts',
    search:
      "if (nowMs >= validUntilMs) throw new TokenRefused('TOKEN_EXPIRED', 'the token has expired', 'exp');",
    replace: '',
    invariants: ['access-ended'],
  },
  {
    name: 'session-ended-by-administrator-works',
    file: 'daemon/security/session/session-administration.ts',
    search: 'for (const { id } of ended) sessions.remove(id);',
    replace: '',
    invariants: ['access-ended'],
  },
  {
    name: 'token-revoked-still-accepted',
    file: 'daemon/security/token/token-identity.ts',
    search: 'if (isRevoked(claims, identity)) {',
    replace: 'if (isRevoked(claims, identity) && identity.permissions.length === 0) {',
    invariants: ['access-ended'],
  },
  {
    name: 'token-of-voided-key-works',
    file: 'daemon/security/token/token-administration.ts',
    search: 'isPreviousTrusted: !isRevoking',
    replace: 'isPreviousTrusted: isRevoking || !isRevoking',
    invariants: ['access-ended'],
  },
  {
    name: 'factor-code-accepted-twice',
    file: 'daemon/security/identity/second-factor/second-factor-check.ts',
    search: 'identities.updateSecondFactor(identity.name, taken.left);',
    replace:
      'identities.updateSecondFactor(identity.name, { ...taken.left, usedSteps: factor?.usedSteps ?? [] });',
    invariants: ['access-ended'],
  },
  {
    name: 'factor-recovery-code-accepted-twice',
    file: 'daemon/security/identity/second-factor/second-factor-check.ts',
    search: 'identities.updateSecondFactor(identity.name, taken.left);',
    replace:
      'identities.updateSecondFactor(identity.name, { ...taken.left, recoveryDigests: factor?.recoveryDigests ?? [] });',
    invariants: ['access-ended'],
  },
  {
    name: 'deleted-identity-known-until-restart',
    file: 'daemon/security/identity/sqlite-identity-store.ts',
    search: 'this.#byName.delete(name);',
    replace: '',
    invariants: ['access-ended', 'configuration-kept', 'access-kept'],
  },
  {
    name: 'stream-right-not-judged-again',
    file: 'daemon/server/http/stream/stream-access.ts',
    search: "return mayUse(principal, access) ? undefined : 'NOT_PERMITTED';",
    replace: 'return undefined;',
    invariants: ['access-ended'],
  },
  {
    name: 'grant-does-not-end',
    file: 'daemon/security/identity/asset-rights.ts',
    search: 'const active = matching.filter(({ endMs }) => nowMs < endMs);',
    replace: 'const active = matching;',
    invariants: ['access-ended'],
  },
  {
    name: 'rights-remembered-beyond-the-end-of-a-grant',
    file: 'daemon/plant/access/rights-cache.ts',
    search: 'if (known !== undefined && areInForce(known, nowMs)) return known;',
    replace: 'if (known !== undefined) return known;',
    invariants: ['access-ended'],
  },
  {
    name: 'audit-without-refused-requests',
    file: 'daemon/server/http/audit-trail.ts',
    search: "if (REFUSALS.has(status)) return { event: 'ACCESS_REFUSED', outcome: 'FAILURE' };",
    replace: '',
    invariants: ['audit-complete'],
  },
  {
    name: 'audit-without-failed-writes',
    file: 'daemon/server/http/audit-trail.ts',
    search: 'if (event !== undefined && isAttempted(context, status)) {',
    replace: "if (event !== undefined && note?.outcome !== 'FAILURE' && isAttempted(context, status)) {",
    invariants: ['audit-complete'],
  },
  {
    name: 'audit-lost-at-stop',
    file: 'daemon/security/audit/audit-log.ts',
    search: 'this.#isStopped = true;\n    this.#flush();',
    replace: 'this.#isStopped = true;',
    invariants: ['audit-complete'],
  },
];
