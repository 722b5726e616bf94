import { loadTlsMaterial } from './certificate/tls-material.ts';
import { ensureServerCertificate } from './certificate/server-certificate.ts';
import { chooseTlsFiles } from './certificate/tls-files.ts';
import type { TlsMaterial } from './certificate/tls-material.ts';
import type { Startable } from './base/lifecycle.ts';
import type { Logger } from './base/logger.ts';
import type { ListenerSet } from './rest/listener-set.ts';
import type { GatewaySettings } from './settings/gateway-settings.ts';

export interface NetworkOptions {
  readonly listeners: ListenerSet;
  readonly settings: GatewaySettings;
  readonly logger: Logger;
}

/** The ports of the gateway with their certificates, as the static configuration wants them. */
export class Network implements Startable {
  readonly #options: NetworkOptions;

  constructor(options: NetworkOptions) {
    this.#options = options;
  }

  /**
   * Opens the ports; makes a self-signed certificate when there is none.
   *
   * @throws {CertificateError} when certificate files cannot be used
   * @throws {ListenerError} when a port cannot be opened
   */
  start(): Promise<void> {
    return this.apply(this.#options.settings);
  }

  /**
   * Puts other settings and the present content of the certificate files in force; open connections live on.
   *
   * @throws as `start` does; what was in force before stays
   */
  async apply({ http, tls, dataDirectory }: GatewaySettings): Promise<void> {
    const { listeners, logger } = this.#options;
    const files = await chooseTlsFiles(tls, dataDirectory);
    if (files.isOwnCertificate && (await ensureServerCertificate(files))) {
      logger.info('certificate.made', { file: files.certificateFile });
    }
    const material = await loadTlsMaterial(files);
    await listeners.apply(http, material);
    this.#report(material);
  }

  async stop(): Promise<void> {
    await this.#options.listeners.stop();
  }

  #report({ expiresAtMs }: TlsMaterial): void {
    const { listeners, logger } = this.#options;
    logger.info('listening', {
      http: listeners.ports('http'),
      https: listeners.ports('https'),
      httpsClientAuth: listeners.ports('https-client-auth'),
      certificateExpires: new Date(expiresAtMs).toISOString(),
    });
  }
}
