import type { BundleSession } from '../bundle/bundle-host.ts';

/** Hears that the link of a driver is lost. */
type OnLost = (error: Error) => void;

/** The connections that drivers of bundles have open, by the number under which the bundle knows them. */
export class DriverLinks {
  readonly #links = new Map<number, { readonly session: BundleSession; readonly onLost: OnLost }>();
  #lastInstance = 0;

  /** @returns the number of the new connection; numbers are never given again */
  open(session: BundleSession, onLost: OnLost): number {
    this.#lastInstance += 1;
    this.#links.set(this.#lastInstance, { session, onLost });
    return this.#lastInstance;
  }

  close(instance: number): void {
    this.#links.delete(instance);
  }

  /** Takes note that a bundle has lost one of its links; a number that is not its own means nothing. */
  lose(session: BundleSession, instance: number, error: Error): void {
    const link = this.#links.get(instance);
    if (link?.session !== session) return;
    this.#links.delete(instance);
    link.onLost(error);
  }

  /** Takes note that a bundle has ended. */
  loseAll(session: BundleSession, error: Error): void {
    for (const [instance, link] of this.#links) {
      if (link.session === session) this.lose(session, instance, error);
    }
  }
}
