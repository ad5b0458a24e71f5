/**
 * A string as a key in a path, as the value of a query parameter, or as an element of a list, the way protocol 2.0.0 of
 * Rest.li reads it: the characters that carry structure are encoded as well, and an empty string is ''.
 */
export function atom(text: string): string {
  if (text === "") {
    return "''";
  }
  return encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
}

export const list = (texts: readonly string[]): string => `List(${texts.map(atom).join(",")})`;
