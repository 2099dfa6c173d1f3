import type { AskedLevel } from "../../contract/permission/level.ts";
import type { Policy } from "../policy/policy.ts";

/** Who is behind a request: whoever asked, and everybody else whose words went into it. */
export interface Behind {
  readonly requester?: string | undefined;
  readonly contributors?: readonly string[] | undefined;
}

export interface PeopleNeeded {
  readonly count: number;
  /** These do not count, however much they may. */
  readonly barred: readonly string[];
}

/**
 * Where the policy wants another person, none of those behind the request is one. Where it wants two, whoever asked may
 * be the first; then the second must be somebody who had no part in it.
 */
export function peopleNeeded(
  policy: Policy,
  risk: AskedLevel,
  { requester, contributors = [] }: Behind,
): PeopleNeeded {
  const another = policy.anotherPerson.includes(risk);
  const two = policy.twoPersons.includes(risk);
  return {
    count: two ? 2 : 1,
    barred: [
      ...(another && requester !== undefined ? [requester] : []),
      ...(another || two ? contributors : []),
    ],
  };
}
