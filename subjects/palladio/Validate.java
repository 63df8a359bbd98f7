import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.eclipse.emf.common.util.Diagnostic;
import org.eclipse.emf.common.util.TreeIterator;
import org.eclipse.emf.common.util.URI;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.EPackage;
import org.eclipse.emf.ecore.EStructuralFeature;
import org.eclipse.emf.ecore.EValidator;
import org.eclipse.emf.ecore.resource.Resource;
import org.eclipse.emf.ecore.resource.ResourceSet;
import org.eclipse.emf.ecore.resource.impl.ResourceSetImpl;
import org.eclipse.emf.ecore.util.Diagnostician;
import org.eclipse.emf.ecore.util.EObjectValidator;
import org.eclipse.emf.ecore.util.EcoreUtil;
import org.eclipse.emf.ecore.xmi.impl.EcoreResourceFactoryImpl;
import org.eclipse.emf.ecore.xmi.impl.XMIResourceFactoryImpl;

/**
 * Loads Palladio's metamodels and the files of a model, and reports what the Eclipse Modeling Framework finds wrong: unknown elements, references that lead nowhere, features
 * that are missing or too many. {@code Validate METAMODELS MODEL}. Constraints in OCL are not evaluated, nor are stochastic expressions parsed: Palladio's own code does that.
 */
public class Validate {
    public static void main(String[] args) throws Exception {
        ResourceSet set = new ResourceSetImpl();
        Map<String, Object> factories = set.getResourceFactoryRegistry().getExtensionToFactoryMap();
        factories.put("ecore", new EcoreResourceFactoryImpl());
        factories.put("*", new XMIResourceFactoryImpl());
        List<Path> metamodels = files(args[0], ".ecore");
        for (Path path : metamodels) {
            for (String bundle : new String[] {"org.palladiosimulator.pcm", "de.uka.ipd.sdq.identifier", "de.uka.ipd.sdq.stoex", "de.uka.ipd.sdq.units", "de.uka.ipd.sdq.probfunction"}) {
                URI named = URI.createURI("platform:/plugin/" + bundle + "/model/" + path.getFileName());
                set.getURIConverter().getURIMap().put(named, URI.createFileURI(path.toAbsolutePath().toString()));
            }
        }
        for (Path path : metamodels) {
            Resource resource = set.getResource(URI.createFileURI(path.toAbsolutePath().toString()), true);
            for (TreeIterator<EObject> all = resource.getAllContents(); all.hasNext();) {
                register(set, all.next());
            }
            resource.getContents().forEach(root -> register(set, root));
        }
        EcoreUtil.resolveAll(set);
        // Constraints in OCL would need an interpreter: without one each would be reported.
        EValidator.ValidationDelegate.Registry.INSTANCE.clear();
        int wrong = 0;
        int objects = 0;
        for (Path path : files(args[1], "")) {
            Resource resource = load(set, path);
            for (Resource.Diagnostic error : resource.getErrors()) {
                System.out.println(path.getFileName() + ": " + error);
                wrong++;
            }
            for (EObject root : resource.getContents()) {
                wrong += tell(path, Diagnostician.INSTANCE.validate(root));
                objects++;
                for (TreeIterator<EObject> all = root.eAllContents(); all.hasNext(); all.next()) {
                    objects++;
                }
            }
        }
        System.out.println(objects + " objects, " + wrong + " errors");
        System.exit(wrong == 0 && objects > 0 ? 0 : 1);
    }

    /** A resource with what is wrong in it, which it tells by an exception once. */
    private static Resource load(ResourceSet set, Path path) {
        URI uri = URI.createFileURI(path.toAbsolutePath().toString());
        try {
            return set.getResource(uri, true);
        } catch (RuntimeException wrong) {
            return set.getResource(uri, false);
        }
    }

    private static int tell(Path path, Diagnostic diagnostic) {
        int wrong = 0;
        if (diagnostic.getChildren().isEmpty()) {
            if (diagnostic.getSeverity() >= Diagnostic.ERROR && !generated(diagnostic)) {
                System.out.println(path.getFileName() + ": " + diagnostic.getMessage());
                wrong++;
            }
        }
        for (Diagnostic child : diagnostic.getChildren()) {
            wrong += tell(path, child);
        }
        return wrong;
    }

    /** Whether only Palladio's generated classes could do better: constraints in OCL, features that they derive, and the way back from a part to its whole where a class has two parents. */
    private static boolean generated(Diagnostic diagnostic) {
        if (diagnostic.getMessage() != null && diagnostic.getMessage().startsWith("Unable to find delegate")) {
            return true;
        }
        List<?> data = diagnostic.getData();
        for (Object part : data) {
            if (part instanceof EStructuralFeature && ((EStructuralFeature) part).isDerived()) {
                return true;
            }
        }
        if (diagnostic.getCode() == EObjectValidator.EOBJECT__EVERY_BIDIRECTIONAL_REFERENCE_IS_PAIRED) {
            EObject object = (EObject) data.get(0);
            EObject whole = object.eContainer();
            return whole != null && whole.eContents().contains(object) && object.eContainmentFeature().getEOpposite() == data.get(1);
        }
        return false;
    }

    private static void register(ResourceSet set, EObject object) {
        if (object instanceof EPackage) {
            EPackage found = (EPackage) object;
            set.getPackageRegistry().put(found.getNsURI(), found);
        }
    }

    private static List<Path> files(String folder, String ending) throws Exception {
        List<Path> files = new ArrayList<>();
        for (File file : new File(folder).listFiles()) {
            if (file.getName().endsWith(ending)) {
                files.add(file.toPath());
            }
        }
        files.sort(null);
        return files;
    }
}
