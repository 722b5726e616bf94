import type { AuditDetail } from '../../../security/audit/audit-event.ts';
import type { AuditLog } from '../../../security/audit/audit-log.ts';
import type { Cancel, Clock } from '../../../base/clock.ts';
import { GatewayError, messageOf } from '../../../base/errors.ts';
import type { Startable } from '../../../base/lifecycle.ts';
import type { Logger } from '../../../base/logger.ts';
import { describeFiles, FileWatch } from '../../../security/certificate/file-watch.ts';
import { ensureServerCertificate } from '../../../security/certificate/server-certificate.ts';
import { chooseTlsFiles, listTlsPaths } from '../../../security/certificate/tls-files.ts';
import type { TlsFiles } from '../../../security/certificate/tls-files.ts';
import { loadTlsMaterial } from '../../../security/certificate/tls-material.ts';
import type { TlsMaterial } from '../../../security/certificate/tls-material.ts';
import { TrustReport } from '../../../security/certificate/trust-report.ts';
import type { ListenerSet } from './listener-set.ts';
import { tlsDirectoryOf } from '../../../settings/gateway-settings.ts';
import type { GatewaySettings } from '../../../settings/gateway-settings.ts';

/** Numbers of open ports, by kind. */
export type OpenPorts = Readonly<Record<'http' | 'https' | 'httpsClientAuth', readonly number[]>>;

interface NetworkOptions {
  readonly listeners: ListenerSet;
  readonly settings: GatewaySettings;
  readonly logger: Logger;
  readonly audit: Pick<AuditLog, 'record'>;
  readonly clock: Clock;
  /** Interval at which certificate files are checked; a change is applied once two checks in a row find it. */
  readonly certificateLookIntervalMs: number;
}

// A leaked ticket key exposes the TLS sessions of its lifetime (RFC 9325, 4.2.3 and 7.4): at most a day, with a margin.
const TICKET_KEY_LIFE_MS = 12 * 3_600_000;

/** Active ports and certificates. */
interface InForce {
  readonly settings: GatewaySettings;
  readonly files: TlsFiles;
  readonly material: TlsMaterial;
}

/**
 * Opens the ports of the gateway with the certificates of the static settings. Certificates and revocation lists that are
 * replaced on disk are applied without a signal.
 */
export class Network implements Startable {
  readonly #options: NetworkOptions;
  readonly #clock: Clock;
  readonly #watch: FileWatch;
  readonly #report: TrustReport;
  #inForce: InForce | undefined;
  // Changes run one after the other.
  #applying: Promise<void> = Promise.resolve();
  #cancelRotation: Cancel = () => undefined;

  constructor(options: NetworkOptions) {
    const { clock, certificateLookIntervalMs: intervalMs, logger } = options;
    this.#options = options;
    this.#clock = clock;
    this.#report = new TrustReport(logger);
    this.#watch = new FileWatch({
      clock,
      intervalMs,
      files: () => (this.#inForce === undefined ? [] : listWatchedPaths(this.#inForce.settings)),
      onLook: () => this.#reportDue(),
      onChange: () => this.#applyReplacedFiles(),
    });
  }

  /**
   * Opens the ports; creates a self-signed certificate when there is none.
   *
   * @throws {CertificateError} when certificate files cannot be used
   * @throws {ListenerError} when a port cannot be opened
   */
  async start(): Promise<void> {
    await this.apply(this.#options.settings);
    this.#scheduleRotation();
  }

  /**
   * Applies settings and the current content of the certificate files; open connections stay open.
   *
   * @throws as `start` does; the previous settings stay active
   */
  apply(settings: GatewaySettings): Promise<void> {
    return this.#inTurn(async () => {
      const { logger } = this.#options;
      const files = await chooseTlsFiles(settings.tls, settings.dataDirectory, tlsDirectoryOf(settings));
      if (files.isOwnCertificate && (await ensureServerCertificate(files))) {
        logger.info('certificate.created', { file: files.certificateFile });
      }
      // Described before they are read, so that a change in between is noticed later.
      const known = await describeFiles(listWatchedPaths(settings));
      await this.#putInForce(settings, files);
      this.#watch.start(known);
    });
  }

  /** Expiry of the active certificate in milliseconds since the epoch; undefined before the start. */
  get certificateExpiresAtMs(): number | undefined {
    return this.#inForce?.material.expiresAtMs;
  }

  /** Active certificates; undefined before the start. */
  get material(): TlsMaterial | undefined {
    return this.#inForce?.material;
  }

  /** The ports that are open now. */
  openPorts(): OpenPorts {
    const { listeners } = this.#options;
    return {
      http: listeners.ports('http'),
      https: listeners.ports('https'),
      httpsClientAuth: listeners.ports('https-client-auth'),
    };
  }

  async stop(): Promise<void> {
    this.#cancelRotation();
    await this.#applying;
    await this.#watch.stop();
    await this.#options.listeners.stop();
  }

  #inTurn(change: () => Promise<void>): Promise<void> {
    const done = this.#applying.then(change);
    this.#applying = done.catch(() => undefined);
    return done;
  }

  async #putInForce(settings: GatewaySettings, files: TlsFiles): Promise<void> {
    const material = await loadTlsMaterial(files);
    await this.#options.listeners.apply(settings.http, material);
    const previous = this.#inForce?.material;
    this.#inForce = { settings, files, material };
    if (previous !== undefined) this.#recordChange(previous, material);
    this.#logPorts(material);
    this.#reportDue();
  }

  /** Applies replaced files; never throws: unusable files are logged and ignored until they change again. */
  async #applyReplacedFiles(): Promise<void> {
    await this.#inTurn(async () => {
      if (this.#inForce === undefined) return;
      const { settings, files } = this.#inForce;
      const chosen = await chooseTlsFiles(settings.tls, settings.dataDirectory, tlsDirectoryOf(settings));
      await this.#putInForce(settings, keepInstalled(files, chosen));
    }).catch((error: unknown) => {
      this.#options.logger.error('certificate.notReplaced', {
        reason: error instanceof GatewayError ? error.detail : messageOf(error),
        consequence: 'the previous certificates and lists stay active',
      });
    });
  }

  #recordChange(previous: TlsMaterial, material: TlsMaterial): void {
    if (describePublic(previous) === describePublic(material)) return;
    const [now, before] = [describeCertificates(material), describeCertificates(previous)];
    const former = Object.entries(before).map(([name, value]) => [`${name}Before`, value]);
    const detail = { ...now, ...(Object.fromEntries(former) as AuditDetail) };
    this.#options.audit.record({
      event: 'CERTIFICATES_CHANGED',
      outcome: 'SUCCESS',
      method: 'provisioning',
      detail,
    });
  }

  #reportDue(): void {
    if (this.#inForce !== undefined) this.#report.check(this.#inForce.material, this.#clock.epochMs());
  }

  #scheduleRotation(): void {
    this.#cancelRotation = this.#clock.schedule(TICKET_KEY_LIFE_MS, () => {
      this.#options.listeners.rotateTicketKeys();
      this.#scheduleRotation();
    });
  }

  #logPorts({ expiresAtMs }: TlsMaterial): void {
    const certificateExpires = new Date(expiresAtMs).toISOString();
    this.#options.logger.info('listening', { ...this.openPorts(), certificateExpires });
  }
}

/** Lists the paths of all TLS files, including those that do not exist yet. */
function listWatchedPaths(settings: GatewaySettings): readonly string[] {
  return listTlsPaths(settings.tls, settings.dataDirectory, tlsDirectoryOf(settings));
}

/** Keeps a file that has vanished: reading it reports the error, and the previous certificates stay active. */
function keepInstalled(files: TlsFiles, chosen: TlsFiles): TlsFiles {
  return {
    ...(chosen.isOwnCertificate ? pickServer(files) : pickServer(chosen)),
    clientCertificateAuthoritiesFile:
      chosen.clientCertificateAuthoritiesFile ?? files.clientCertificateAuthoritiesFile,
    certificateRevocationListFile:
      chosen.certificateRevocationListFile ?? files.certificateRevocationListFile,
  };
}

function pickServer({ certificateFile, privateKeyFile, isOwnCertificate }: TlsFiles) {
  return { certificateFile, privateKeyFile, isOwnCertificate };
}

function describeCertificates({ expiries, certificateRevocationLists }: TlsMaterial): AuditDetail {
  const of = (role: 'server' | 'clientAuthority'): string =>
    expiries
      .filter((each) => each.role === role)
      .map(({ fingerprint }) => fingerprint)
      .join(' ');
  return {
    server: of('server'),
    clientAuthorities: of('clientAuthority'),
    revocationLists: certificateRevocationLists.length,
  };
}

function describePublic(material: TlsMaterial): string {
  const { certificate, clientCertificateAuthorities, certificateRevocationLists } = material;
  return [certificate, ...clientCertificateAuthorities, '', ...certificateRevocationLists].join('\n');
}
