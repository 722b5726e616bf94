// The sheets of all pages, in one file with those of the frame: parts of a page also stand outside of it, such as a strip on top.
import.meta.glob('./*/*.css', { eager: true });
