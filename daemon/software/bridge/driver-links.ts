import type { BundleSession } from '../bundle/bundle-host.ts';

/** Called when the link of a driver is lost. */
type OnLost = (error: Error) => void;

/** Open connections of drivers in bundles, by the id that the bundle uses. */
export class DriverLinks {
  readonly #links = new Map<number, { readonly session: BundleSession; readonly onLost: OnLost }>();
  #lastInstance = 0;

  /**
   * Adds a connection.
   *
   * @returns its id, which is never reused
   */
  open(session: BundleSession, onLost: OnLost): number {
    this.#lastInstance += 1;
    this.#links.set(this.#lastInstance, { session, onLost });
    return this.#lastInstance;
  }

  /** Removes a connection. */
  close(instance: number): void {
    this.#links.delete(instance);
  }

  /** Reports that a bundle has lost one of its links; ignores the id of a link of another bundle. */
  lose(session: BundleSession, instance: number, error: Error): void {
    const link = this.#links.get(instance);
    if (link?.session !== session) return;
    this.#links.delete(instance);
    link.onLost(error);
  }

  /** Reports that every link of a bundle is lost. */
  loseAll(session: BundleSession, error: Error): void {
    for (const [instance, link] of this.#links) {
      if (link.session === session) this.lose(session, instance, error);
    }
  }
}
