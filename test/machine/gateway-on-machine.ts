import { Agent } from 'node:https';
import { setTimeout as pause } from 'node:timers/promises';

import { getCertificateAuthority, getClientCertificate } from '../support/certificate-authority.ts';
import { send } from '../support/https-client.ts';
import type { ClientAnswer, ClientRequest } from '../support/https-client.ts';
import type { Owner } from '../support/temporary-directory.ts';
import { APT } from './built-package.ts';
import type { Machine } from './machine.ts';
import { peek } from './seen-connection.ts';
import type { SeenConnection } from './seen-connection.ts';

/** Port whose clients prove themselves by certificate. */
export const CLIENT_PORT = 4443;

const TRIES = 480;
const PAUSE_MS = 500;

// The product is as it was built, but for times that are meant for a machine that is twenty times faster: those of child
// processes, and of the watchdog.
const WIDEN_LIMITS = `
  cd /usr/lib/penstock/daemon
  widen() { file=$(grep -rl --include='*.js' "$1$2" .) && sed -i "s/$1$2/$1$3/" $file; }
  widen 'UNPACKING_LIMIT_MS=' 6e4 3e5 &&
  widen 'START_LIMIT_MS=' 9e4 3e5 &&
  widen 'activationMs:' 6e4 2e5 &&
  mkdir -p /etc/systemd/system/penstock.service.d &&
  printf '[Service]\nWatchdogSec=60\n' >/etc/systemd/system/penstock.service.d/patience.conf &&
  systemctl daemon-reload`;

const PROVISION = `rest: { statelessCertificateAuthenticationEnabled: true }
identities:
  - { name: operator, permissions: [rest.admin] }
`;

/** The gateway in an emulated machine, and a client of it that is an administrator by certificate. */
export class GatewayOnMachine {
  readonly machine: Machine;
  readonly #certificate: string;
  readonly #privateKey: string;
  readonly #agent = new Agent({ keepAlive: true });

  private constructor(
    machine: Machine,
    client: { readonly certificate: string; readonly privateKey: string },
  ) {
    this.machine = machine;
    this.#certificate = client.certificate;
    this.#privateKey = client.privateKey;
  }

  /** Installs a package with apt. */
  static async install(t: Owner, machine: Machine, packageFile: string): Promise<GatewayOnMachine> {
    await machine.copy(packageFile, 'penstock.deb');
    await machine.shell(`${APT} install ./penstock.deb`);
    const gateway = new GatewayOnMachine(machine, await getClientCertificate('operator'));
    t.after(() => gateway.#agent.destroy());
    return gateway;
  }

  /** Configures the gateway to trust the client of this object, with long time-outs for the slow machine. */
  async prepare(): Promise<void> {
    await this.machine.shell(WIDEN_LIMITS);
    const { certificate } = await getCertificateAuthority();
    await this.machine.put(certificate, 'client-ca.pem');
    await this.machine.put(PROVISION, 'operator.yaml');
    await this.machine.shell(`
      install -o penstock -g penstock -m 600 client-ca.pem /etc/penstock/tls/
      install -o root -g penstock -m 640 operator.yaml /etc/penstock/provision.d/
      sync
      systemctl restart penstock.service`);
    await this.ready();
  }

  /** Sends one request as the administrator. */
  send(method: string, place: string, request: ClientRequest = {}): Promise<ClientAnswer> {
    const [certificate, privateKey, agent] = [this.#certificate, this.#privateKey, this.#agent];
    const port = this.machine.port(CLIENT_PORT);
    return send({ port, certificate, privateKey, agent }, method, place, request);
  }

  /** Sends one request and returns the answer; throws unless it is a success. */
  async ask(method: string, place: string, request: ClientRequest = {}): Promise<unknown> {
    const { status, json, text } = await this.send(method, place, request);
    if (status >= 400) throw new Error(`${method} ${place} was answered with ${status}: ${text}`);
    return json;
  }

  /** Asks over a connection of `agent`, and tells which one it was. */
  peek(agent: Agent): Promise<SeenConnection> {
    return peek({
      host: '127.0.0.1',
      port: this.machine.port(CLIENT_PORT),
      path: '/services/deploy/v2',
      cert: this.#certificate,
      key: this.#privateKey,
      rejectUnauthorized: false,
      agent,
    });
  }

  /** Waits until the gateway answers. */
  async ready(): Promise<void> {
    let reason = '';
    for (let tries = 0; tries < TRIES; tries += 1) {
      try {
        await this.ask('GET', '/services/deploy/v2');
        return;
      } catch (error) {
        reason = String(error);
      }
      await pause(PAUSE_MS);
    }
    const journal = await this.machine.run('journalctl -u penstock.service -o cat --no-pager -n 20');
    throw new Error(`the gateway does not answer (${reason}):\n${journal.output}`);
  }
}
