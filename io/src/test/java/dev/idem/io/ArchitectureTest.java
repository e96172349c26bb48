/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */
package dev.idem.io;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.GeneralCodingRules.ACCESS_STANDARD_STREAMS;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaConstructor;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaType;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.net.http.HttpClient;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.junit.jupiter.api.Test;

class ArchitectureTest {

  /** Main classes of this module and of the one below it. */
  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .withImportOption(location -> !location.contains("-tests.jar"))
          .importPackages("dev.idem.io", "dev.idem.transforms");

  private static final DescribedPredicate<JavaClass> HADOOP_OR_KERNEL =
      resideInAnyPackage("org.apache.hadoop..", "io.delta..", "org.apache.parquet..");

  private static final DescribedPredicate<JavaCall<?>> READS_THE_SYSTEM_CLOCK =
      describe("read the system's clock", ArchitectureTest::readsTheSystemClock);

  @Test
  void dependenciesPointDownwards() {
    noClasses()
        .that()
        .resideInAPackage("dev.idem.io..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("dev.idem.pipelines..")
        .check(CLASSES);
    noClasses()
        .that()
        .resideInAPackage("dev.idem.transforms..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("dev.idem.io..", "dev.idem.pipelines..")
        .check(CLASSES);
  }

  @Test
  void packagesOfDeltaTablesAreLayers() {
    layeredArchitecture()
        .consideringOnlyDependenciesInAnyPackage("dev.idem.io.delta..")
        .layer("transforms")
        .definedBy("dev.idem.io.delta")
        .layer("changes")
        .definedBy("dev.idem.io.delta.changes")
        .layer("merge")
        .definedBy("dev.idem.io.delta.merge")
        .layer("maintenance")
        .definedBy("dev.idem.io.delta.maintenance")
        .layer("table")
        .definedBy("dev.idem.io.delta.table")
        .layer("kernel")
        .definedBy("dev.idem.io.delta.kernel")
        .layer("file")
        .definedBy("dev.idem.io.delta.file")
        .layer("schema")
        .definedBy("dev.idem.io.delta.schema")
        .layer("error")
        .definedBy("dev.idem.io.delta.error")
        .whereLayer("transforms")
        .mayNotBeAccessedByAnyLayer()
        .whereLayer("changes")
        .mayOnlyBeAccessedByLayers("transforms")
        .whereLayer("merge")
        .mayOnlyBeAccessedByLayers("transforms")
        .whereLayer("maintenance")
        .mayNotBeAccessedByAnyLayer()
        .whereLayer("table")
        .mayOnlyBeAccessedByLayers("transforms", "changes", "merge", "maintenance")
        .whereLayer("kernel")
        .mayOnlyBeAccessedByLayers("transforms", "changes", "merge", "maintenance", "table")
        .whereLayer("file")
        .mayOnlyBeAccessedByLayers("transforms", "changes", "merge", "maintenance", "table")
        .whereLayer("schema")
        .mayOnlyBeAccessedByLayers("transforms", "changes", "merge", "maintenance", "table", "file")
        .whereLayer("error")
        .mayOnlyBeAccessedByLayers(
            "transforms", "changes", "merge", "maintenance", "table", "file", "schema")
        .ensureAllClassesAreContainedInArchitectureIgnoring(
            resideOutsideOfPackage("dev.idem.io.delta.."))
        .check(CLASSES);
  }

  @Test
  void clientsOfKafkaAreMadeInOnePlace() {
    noClasses()
        .that()
        .doNotHaveFullyQualifiedName("dev.idem.io.kafka.KafkaClients")
        .should()
        .callConstructor(KafkaProducer.class, Map.class)
        .orShould()
        .callConstructor(KafkaConsumer.class, Map.class)
        .orShould()
        .callMethod(Admin.class, "create", Map.class)
        .check(CLASSES);
  }

  @Test
  void onlyPublishingUsesTransactionsOfKafka() {
    noClasses()
        .that()
        .doNotHaveFullyQualifiedName("dev.idem.io.kafka.publish.PublishTransaction")
        .should()
        .callMethod(Producer.class, "initTransactions")
        .orShould()
        .callMethod(Producer.class, "commitTransaction")
        .check(CLASSES);
    noClasses()
        .that()
        .resideInAPackage("dev.idem.io.kafka")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("dev.idem.io.kafka.publish")
        .check(CLASSES);
  }

  @Test
  void effectsByHttpAreSentInOnePlaceAndNeedNoOtherEdge() {
    noClasses()
        .that()
        .resideInAPackage("dev.idem.io.http..")
        .and()
        .doNotHaveFullyQualifiedName("dev.idem.io.http.HttpSender")
        .should()
        .dependOnClassesThat()
        .areAssignableTo(HttpClient.class)
        .check(CLASSES);
    noClasses()
        .that()
        .resideInAPackage("dev.idem.io.http..")
        .should()
        .dependOnClassesThat(
            resideInAPackage("dev.idem.io..")
                .and(resideOutsideOfPackages("dev.idem.io.http..", "dev.idem.io.file..")))
        .check(CLASSES);
  }

  @Test
  void packagesAreFreeOfCycles() {
    slices().matching("dev.idem.(**)").should().beFreeOfCycles().check(CLASSES);
  }

  @Test
  void onlyTheAdapterUsesInternalClassesOfKernel() {
    noClasses()
        .that(resideOutsideOfPackage("dev.idem.io.delta.kernel"))
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.delta.kernel.internal..", "io.delta.kernel.defaults.internal..")
        .check(CLASSES);
  }

  @Test
  void noClassUsesWhatBeamShades() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAPackage("org.apache.beam.vendor..")
        .check(CLASSES);
  }

  @Test
  void publicTypesExposeNoClassOfHadoopKernelOrParquet() {
    classes()
        .that()
        .arePublic()
        .and(resideOutsideOfPackage("dev.idem.io.delta.kernel"))
        .should(exposeNone(HADOOP_OR_KERNEL))
        .check(CLASSES);
  }

  @Test
  void librariesLogThroughSlf4jOnly() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("java.util.logging..", "org.apache.log4j..", "org.apache.logging..")
        .check(CLASSES);
    noClasses().should(ACCESS_STANDARD_STREAMS).check(CLASSES);
  }

  @Test
  void timeComesFromAClock() {
    noClasses().should().callMethodWhere(READS_THE_SYSTEM_CLOCK).check(CLASSES);
    noClasses().should().callConstructorWhere(READS_THE_SYSTEM_CLOCK).check(CLASSES);
  }

  @Test
  void noFieldHoldsRandomness() {
    noFields().should().haveRawType(assignableToRandom()).check(CLASSES);
  }

  private static boolean readsTheSystemClock(JavaCall<?> call) {
    String owner = call.getTargetOwner().getName();
    boolean noParameters = call.getTarget().getRawParameterTypes().isEmpty();
    return switch (call.getName()) {
      case "currentTimeMillis" -> true;
      // A Clock is a parameter of java.time's; Joda's have none, or a zone.
      case "now" ->
          owner.startsWith("org.joda.time.") || (owner.startsWith("java.time.") && noParameters);
      case JavaConstructor.CONSTRUCTOR_NAME ->
          noParameters && (owner.equals("java.util.Date") || owner.equals("org.joda.time.Instant"));
      default -> false;
    };
  }

  private static DescribedPredicate<JavaClass> assignableToRandom() {
    return describe("a source of randomness", type -> type.isAssignableTo(java.util.Random.class));
  }

  private static ArchCondition<JavaClass> exposeNone(DescribedPredicate<JavaClass> hidden) {
    return new ArchCondition<>("expose no class of Hadoop, Kernel or Parquet") {
      @Override
      public void check(JavaClass type, ConditionEvents events) {
        Set<JavaClass> exposed = new LinkedHashSet<>(type.getAllRawSuperclasses());
        exposed.addAll(type.getAllRawInterfaces());
        for (JavaCodeUnit unit : type.getCodeUnits()) {
          if (visible(unit.getModifiers())) {
            exposed.addAll(unit.getReturnType().getAllInvolvedRawTypes());
            unit.getExceptionTypes().forEach(e -> exposed.addAll(e.getAllInvolvedRawTypes()));
            for (JavaType parameter : unit.getParameterTypes()) {
              exposed.addAll(parameter.getAllInvolvedRawTypes());
            }
          }
        }
        for (JavaField field : type.getFields()) {
          if (visible(field.getModifiers())) {
            exposed.addAll(field.getType().getAllInvolvedRawTypes());
          }
        }
        exposed.stream()
            .filter(hidden)
            .forEach(
                found ->
                    events.add(
                        SimpleConditionEvent.violated(
                            type, type.getName() + " exposes " + found.getName())));
      }
    };
  }

  private static boolean visible(Set<JavaModifier> modifiers) {
    return (modifiers.contains(JavaModifier.PUBLIC) || modifiers.contains(JavaModifier.PROTECTED))
        && !modifiers.contains(JavaModifier.SYNTHETIC);
  }
}
