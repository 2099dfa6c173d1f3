import { useCallback, useEffect, useState } from "preact/hooks";
import { sentence } from "./api.ts";

export interface Fetched<Value> {
  readonly value?: Value;
  readonly problem?: string;
  readonly again: () => void;
}

/** Something from the server: asked for when it is shown, again when `key` is another or somebody wants it. */
export function useFetched<Value>(fetch: () => Promise<Value>, key: string): Fetched<Value> {
  const [state, setState] = useState<{ value?: Value; problem?: string }>({});
  const again = useCallback(() => {
    let isWanted = true;
    fetch().then(
      (value) => isWanted && setState({ value }),
      (error: unknown) => isWanted && setState({ problem: sentence(error) }),
    );
    return () => {
      isWanted = false;
    };
  }, [key]);
  useEffect(again, [again]);
  return { ...state, again };
}
