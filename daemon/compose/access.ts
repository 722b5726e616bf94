import { hostname } from 'node:os';

import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { RandomSource } from '../base/random.ts';
import type { Store } from '../base/store/store.ts';
import type { ConfigurationStore } from '../configuration/store/configuration-store.ts';
import type { CredentialRevocations } from '../security/identity/credential-revocations.ts';
import { AttemptLimiter } from '../security/identity/attempt/attempt-limiter.ts';
import { Authenticator } from '../security/identity/authenticator.ts';
import { createBasicProvider } from '../security/identity/provider/basic-provider.ts';
import { createCertificateProvider } from '../security/identity/provider/certificate-provider.ts';
import { IdentityAdministration } from '../security/identity/identity-administration.ts';
import type { IdentityStore } from '../security/identity/identity-store.ts';
import { removeInitialPassword } from '../security/identity/initial-administrator.ts';
import { createLocalProvider } from '../security/identity/provider/local-provider.ts';
import { PersonalSettings } from '../security/identity/personal-settings.ts';
import { PasswordAuthenticator } from '../security/identity/password/password-authenticator.ts';
import { PasswordChange } from '../security/identity/password/password-change.ts';
import type { PasswordHasher } from '../security/identity/password/password-hash.ts';
import { SecondFactorEnrolment } from '../security/identity/second-factor/enrolment.ts';
import { SecondFactorCheck } from '../security/identity/second-factor/second-factor-check.ts';
import { createRequestSessionFinder, createSessionProvider } from '../security/session/request-session.ts';
import { SessionAdministration } from '../security/session/session-administration.ts';
import { SessionLogin } from '../security/session/login.ts';
import { MemorySessionStore } from '../security/session/memory-session-store.ts';
import type { RestSettings } from '../settings/rest-settings.ts';

interface AccessOptions {
  readonly store: Store;
  readonly identities: IdentityStore;
  readonly hasher: PasswordHasher;
  readonly configuration: Pick<ConfigurationStore, 'current'>;
  readonly dataDirectory: string;
  readonly credentialRevocations: CredentialRevocations;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly random: RandomSource;
}

export type Access = ReturnType<typeof composeAccess>;

/** Constructs authentication: passwords, certificates and sessions. */
export function composeAccess(options: AccessOptions) {
  const { store, identities, hasher, configuration, dataDirectory, credentialRevocations } = options;
  const { logger, clock, random } = options;
  const rest = (): RestSettings => configuration.current().rest;
  const limiter = new AttemptLimiter({ clock });
  const secondFactors = new SecondFactorCheck({ identities, store, clock, logger });
  const checks = { hasher, limiter, secondFactors };
  const passwords = new PasswordAuthenticator({ identities, ...checks, clock, logger });
  const inactivityIntervalMs = (): number => rest().sessionInactivityIntervalSeconds * 1000;
  const onEnded = (sessionId: string): void => credentialRevocations.announce({ kind: 'SESSION', sessionId });
  const sessions = new MemorySessionStore({ clock, inactivityIntervalMs, onEnded });
  const authenticator = new Authenticator({ clock, logger });
  authenticator.add(createLocalProvider());
  authenticator.add(createCertificateProvider({ identities, rest }));
  authenticator.add(createBasicProvider({ identities, authenticator: passwords, clock, rest, random }));
  const findSession = createRequestSessionFinder({ sessions, identities, rest });
  authenticator.add(createSessionProvider(findSession));
  const login = new SessionLogin({ sessions, identities, authenticator: passwords, clock, rest, random });
  const passwordRules = {
    identities,
    hasher,
    strength: () => configuration.current().passwordStrength,
    endSessions: (identityId: string) => sessions.removeAllOf(identityId),
    removeInitialPassword: (name: string) => removeInitialPassword(dataDirectory, name),
    logger,
  };
  const passwordChange = new PasswordChange({ ...passwordRules, authenticator: passwords });
  const administration = new IdentityAdministration(passwordRules);
  const sessionAdministration = new SessionAdministration({
    sessions,
    identities,
    inactivityIntervalMs,
    clock,
  });
  const enrolment = new SecondFactorEnrolment({
    ...passwordRules,
    authenticator: passwords,
    clock,
    random,
    // Authenticator apps distinguish gateways by it.
    issuer: `Penstock ${hostname()}`,
  });
  return {
    authenticator,
    sessions,
    findSession,
    login,
    passwordChange,
    administration,
    sessionAdministration,
    enrolment,
    personalSettings: new PersonalSettings({ store, identities }),
  };
}
