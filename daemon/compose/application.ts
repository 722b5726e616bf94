import type { AuditLog } from '../security/audit/audit-log.ts';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { RandomSource } from '../base/random.ts';
import type { ConfigurationStore } from '../configuration/store/configuration-store.ts';
import { createAccessLog } from '../server/http/access-log.ts';
import { createApplication } from '../server/http/application.ts';
import type { Application } from '../server/http/application.ts';
import { createAuditTrail } from '../server/http/audit-trail.ts';
import { EventStreams } from '../server/http/stream/event-streams.ts';
import type { IsKnownHost } from '../server/http/proxy/host-names.ts';
import type { SeenCertificates } from '../server/http/connection/seen-certificates.ts';
import type { Route } from '../server/http/route.ts';
import type { CredentialRevocations } from '../security/identity/credential-revocations.ts';
import type { StaticSite } from '../server/http/static-site.ts';
import type { IdempotencyStore } from '../security/idempotency/idempotency-store.ts';
import type { IdentityStore } from '../security/identity/identity-store.ts';
import type { GatewayMetrics } from '../machine/metrics/gateway-metrics.ts';
import type { RestSettings } from '../settings/rest-settings.ts';
import { describeMissingCounterpart } from '../interface/kura/no-counterpart.ts';
import type { YamlReader } from '../settings/yaml-reader.ts';
import type { Access } from './access.ts';
import type { StaticSettings } from './static-settings.ts';

interface ApplicationOptions {
  readonly routes: readonly Route[];
  readonly access: Pick<Access, 'authenticator' | 'findSession'>;
  readonly identities: IdentityStore;
  readonly configuration: Pick<ConfigurationStore, 'current'>;
  readonly settings: Pick<StaticSettings, 'trustedProxies' | 'strictTransportSecuritySeconds'>;
  readonly isKnownHost: IsKnownHost;
  readonly audit: AuditLog;
  readonly metrics: Pick<GatewayMetrics, 'note'>;
  readonly seenCertificates: SeenCertificates;
  readonly credentialRevocations: CredentialRevocations;
  readonly requestKeys: IdempotencyStore;
  readonly site: () => StaticSite | undefined;
  readonly yaml: YamlReader;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly random: RandomSource;
}

/** Constructs the request pipeline, with its records of each response. */
export function composeApplication(options: ApplicationOptions): Application {
  const { routes, access, identities, configuration, settings, audit, metrics, requestKeys, yaml } = options;
  const { seenCertificates, credentialRevocations, isKnownHost, site, logger, clock, random } = options;
  const { authenticator, findSession } = access;
  const rest = (): RestSettings => configuration.current().rest;
  const streams = new EventStreams({ authenticator, identities, rest, clock });
  credentialRevocations.listen((proof) => streams.settle(proof));
  return createApplication({
    routes,
    authenticator,
    findSession,
    seenCertificates,
    identities,
    rest,
    trustedProxies: () => settings.trustedProxies,
    strictTransportSecuritySeconds: () => settings.strictTransportSecuritySeconds,
    isKnownHost,
    trail: createAuditTrail({
      audit,
      identities,
      rest,
      logger,
      monotonicMs: () => clock.monotonicMs(),
      random,
    }),
    streams,
    accessLog: createAccessLog({ clock, logger, onAnswer: (answered) => metrics.note(answered) }),
    yaml,
    requestKeys,
    site,
    describeForeignPath: describeMissingCounterpart,
    clock,
    logger,
    random,
  });
}
