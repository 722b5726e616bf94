import { NotTaken } from './imported.ts';
import { toPid } from './name.ts';

/** The pids of the drivers or of the assets of a file, of which no two may be the same here. */
export class UniquePids {
  readonly #places = new Map<string, string>();

  /**
   * Turns a name into a pid.
   *
   * @param place where the name stands
   * @param make returns the pid, where it is more than the name
   * @throws {NotTaken} when nothing of the name is left, and when another place has the pid
   */
  claim(name: string, place: string, make: (pid: string) => string = (pid) => pid): string {
    const own = toPid(name);
    if (own === '') throw new NotTaken('its name is not possible here');
    const pid = make(own);
    const other = this.#places.get(pid);
    if (other === place) throw new NotTaken('stands in the file twice');
    if (other !== undefined) throw new NotTaken(`its pid would be ${pid} here, which is that of ${other}`);
    this.#places.set(pid, place);
    return pid;
  }
}
