export { reachable, session, signOut } from "./session";
export { SignInPage } from "./SignInPage";
export { mayAnswer, mayOperate, usePrincipal } from "./usePrincipal";
