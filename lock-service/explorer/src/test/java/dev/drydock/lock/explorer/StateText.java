package dev.drydock.lock.explorer;

import dev.drydock.lock.core.Seniority;
import dev.drydock.lock.core.txn.Transaction;
import dev.drydock.lock.explorer.Model.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToIntFunction;

/** All of a renumbered state in a few characters, by which states are told apart. */
final class StateText {
  private final Model model;
  private final ToIntFunction<Transaction> numbers;

  /**
   * Of one state.
   *
   * @param numbers the same for equal transactions alone
   */
  StateText(Model model, ToIntFunction<Transaction> numbers) {
    this.model = model;
    this.numbers = numbers;
  }

  /**
   * The whole text.
   *
   * @param etcd the same number for equal etcds alone
   */
  String withEtcd(int etcd) {
    CompactText text = new CompactText();
    text.add(etcd);
    for (int i = 0; i < model.phase.length; i++) {
      int phaseAndRow = model.phase[i].ordinal() * 8 + model.row[i].ordinal();
      text.add(phaseAndRow * 2 + (model.lapsing[i] ? 1 : 0));
      text.add(model.attempt[i]);
      age(i, text);
    }
    List<String> grantors = new ArrayList<>();
    for (int p = 0; p < Model.GRANTORS; p++) {
      grantors.add(grantor(p));
    }
    // Which of two grantors is which makes no difference.
    grantors.sort(null);
    grantors.forEach(text::add);
    List<String> unheard = new ArrayList<>();
    for (Message message : model.network) {
      if (message.sender() == Message.NOBODY) {
        CompactText one = new CompactText();
        message(message, one);
        unheard.add(one.toString());
      }
    }
    unheard.sort(null);
    unheard.forEach(text::add);
    text.end();
    text.add(model.policy * 4 + model.acknowledged * 2 + (model.late ? 1 : 0));
    int hosts = 0;
    for (String host : Scenario.HOSTS) {
      hosts =
          hosts * 4 + (model.seen.contains(host) ? 2 : 0) + (model.dirty.contains(host) ? 1 : 0);
    }
    text.add(hosts);
    for (int left : model.left) {
      text.add(left);
    }
    text.add(model.total);
    return text.toString();
  }

  private void age(int i, CompactText text) {
    Seniority age = model.age[i];
    if (age == null) {
      text.add(0);
    } else {
      text.add((int) age.revision());
      text.add(age.index());
    }
  }

  private String grantor(int p) {
    CompactText text = new CompactText();
    text.add((int) model.fence[p]);
    text.add(model.unsettled[p] ? 1 : 0);
    for (Message message : model.network) {
      if (message.sender() == p) {
        message(message, text);
      }
    }
    text.end();
    for (Message message : model.rest.get(p)) {
      message(message, text);
    }
    text.end();
    return text.toString();
  }

  private void message(Message message, CompactText text) {
    text.add(numbers.applyAsInt(message.transaction()));
    text.add(message.policy());
    text.add((int) message.read());
    text.add(message.inLine());
  }
}
